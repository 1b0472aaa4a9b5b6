import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import { unique } from './support/user.ts'

const MAKE = join(import.meta.dirname, '../support/solution-images/make-program-image.ts')
/** The stand-in is downloaded and assembled once on a machine. */
const MAKE_TIMEOUT_MS = 600_000

let berth: SharedBerth
let image: string

beforeAll(async () => {
  const make = ['/var/lock/berth-program-verdaccio', process.execPath, MAKE, 'verdaccio']
  const made = promisify(execFile)('flock', make, { timeout: MAKE_TIMEOUT_MS })
  ;[berth, image] = await Promise.all([sharedBerth(), programImage('1'), made])
}, MAKE_TIMEOUT_MS)

const installation = (installationId: string) => berth.get('/solutions/installation', { installationId })

async function removed(installationId: string, appEnvIds: string[]): Promise<void> {
  await berth.ok('DELETE', '/solutions/installation', { query: { installationId } })
  for (const appEnvId of appEnvIds) await berth.untilNothingRuns(appEnvId)
}

describe.concurrent('an installation', () => {
  test('of the catalogue that breaks off is resumed with its id, answers, and is removed', async ({ expect }) => {
    const accountId = await berth.accountId()
    const body = { accountId, solutionSlug: 'verdaccio', appName: unique('registry'), region: 'local' }
    const begun = await berth.call('POST', '/solutions', { body, headers: { prefer: 'wait=0' } })
    const { installationId, appEnvIds } = begun.body
    const [appEnvId = ''] = appEnvIds as string[]
    const operations = async () => (await berth.get('/operations', { appEnvId })).operations
    const [first] = await eventually('it is being deployed', operations, ({ length }) => length > 0)
    await berth.call('POST', '/operation/cancel', { body: { operationId: first.operationId } })
    await eventually(
      'the installation has broken off',
      () => installation(installationId),
      ({ status }) => status === 'INCOMPLETE',
    )
    const resumed = await berth.call('POST', '/solutions', {
      body: { ...body, installationId },
      headers: { prefer: 'wait=240' },
    })
    expect([resumed.status, resumed.body.appEnvIds]).toEqual([200, appEnvIds])
    expect(await installation(installationId)).toMatchObject({ status: 'INSTALLED' })
    const { hosts } = await berth.get('/app-env', { appEnvId })
    await berth.untilAnswer(hosts[0], ({ status }) => status === 200, '/-/ping')
    await removed(installationId, appEnvIds)
    expect((await berth.call('GET', '/app-env', { query: { appEnvId } })).status).toBe(404)
  })

  test('of a compose file answers, with its variables and its dependencies', async ({ expect }) => {
    const accountId = await berth.accountId()
    const compose = `
services:
  web:
    image: ${image}
    ports: ["3000:3000"]
    environment: { GREETING: "\${WORDS}", PORT: "3000" }
    depends_on: [other]
  other:
    image: ${image}
    ports: ["3000"]
    environment: { PORT: "3000" }
`
    const variables = { WORDS: 'from a file' }
    const body = { accountId, appName: unique('site'), region: 'local', compose, variables }
    const { installationId, appEnvIds } = await berth.post('/solutions/compose', body)
    expect(await installation(installationId)).toMatchObject({ status: 'INSTALLED' })
    expect(appEnvIds).toHaveLength(2)
    const records = await Promise.all(appEnvIds.map((appEnvId: string) => berth.get('/app-env', { appEnvId })))
    const answers = await Promise.all(
      records.map(({ hosts }) => berth.untilAnswer(hosts[0], ({ status }) => status === 200)),
    )
    const greetings = answers.map(({ text }) => JSON.parse(text).greeting).sort()
    expect(greetings).toEqual(['', 'from a file'])
    await removed(installationId, appEnvIds)
  })
})
