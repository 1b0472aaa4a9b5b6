import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { STORIES } from './solutions/stories.ts'
import { tellStory } from './solutions/tell-story.ts'

/** The others are told by npm run prove -- solutions. */
const TOLD = 'verdaccio'

const CANARY = 'canary-5f1c0b'

let berth: TestPlatform
/** All that the platform has logged. */
let logged = ''

beforeAll(async () => {
  const settings = { BERTH_READY_TIMEOUT_SECONDS: '120', BERTH_LOG_LEVEL: 'debug' }
  berth = await startTestPlatform(settings, {
    write(line) {
      logged += line
    },
  })
})
afterAll(() => berth?.stop())

test('a solution is installed for real, used, redeployed with its data and removed', async () => {
  const story = STORIES.find(({ slug }) => slug === TOLD)
  if (!story) throw new Error(`There is no story of ${TOLD}`)
  const { docker, ok, platform, database } = berth
  const lines: string[] = []
  const volumesOf = (ids: readonly string[]) =>
    database.volume.count({ where: { appEnvId: { in: [...ids] }, deletedAt: null } })
  await tellStory({ docker, ok, ingressUrl: platform.ingressUrl ?? '', volumesOf }, story, (line) => lines.push(line))
  expect(lines.at(-1)).toContain('removed')
})

/** What the engine has of the installation. */
async function countOnEngine() {
  const { docker, platform } = berth
  const filters = { label: [`berth.installation=${platform.installationId}`] }
  const [containers, { Volumes: volumes }, networks, images] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listVolumes({ filters: JSON.stringify(filters) as never }),
    docker.listNetworks({ filters }),
    docker.listImages({ filters: JSON.stringify(filters) as never }),
  ])
  return [containers, volumes ?? [], networks, images].map(({ length }) => length)
}

test('without one of its prerequisites a solution is refused, and nothing of it is on the engine; its secrets are in no log', async () => {
  const { database, rest, ok } = berth
  const { accounts } = await ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const accountId = accounts.at(-1)?.accountId ?? ''
  const install = () =>
    rest('POST', '/solutions', {
      accountId,
      solutionSlug: 'code-server',
      appName: 'Refused',
      region: 'local',
      inputs: { password: `${CANARY} and more` },
    })
  const set = async (entitlements: string[], sandboxAddonReady: boolean, publicGatewayReady: boolean) => {
    await database.account.update({ where: { id: accountId }, data: { entitlements } })
    await database.region.update({ where: { code: 'local' }, data: { sandboxAddonReady, publicGatewayReady } })
  }
  const before = await countOnEngine()
  for (const missing of [
    [[], true, true] as const,
    [['SANDBOX'], false, true] as const,
    [['SANDBOX'], true, false] as const,
  ]) {
    await set([...missing[0]], missing[1], missing[2])
    const refused = await install()
    expect([refused.status, (await refused.json()).reason]).toEqual([403, 'SANDBOX_NOT_READY'])
  }
  expect(await countOnEngine()).toEqual(before)
  await set(['SANDBOX'], true, true)
  const { installationId } = await (await install()).json()
  await ok('DELETE', `/solutions/installation?installationId=${installationId}`, undefined, { prefer: 'wait=60' })
  expect(logged).toContain('code-server')
  expect(logged).not.toContain(CANARY)
})
