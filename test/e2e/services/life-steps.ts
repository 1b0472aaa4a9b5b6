import type { Failpoint } from '../../../src/fault-injection/failpoint.ts'
import type { ServiceStory } from './service-story.ts'
import type { Step } from './step.ts'
import { until } from './until.ts'

/** Asks a server for the setting that is changed, where its client can. */
const ASKED: Readonly<Record<string, (name: string) => string>> = {
  POSTGRESQL: (name) => `psql "$URL" -At -c "show ${name}"`,
  REDIS: (name) => `redis-cli -u "$URL" -e config get ${name}`,
}

/** Its first environment, whose worker is killed when the account's network is there and nothing else. */
export async function create(story: ServiceStory): Promise<void> {
  const appId = await story.createApp()
  await story.interrupted('network.created', story.accountId, async () => {
    const answer = await story.requestService(appId)
    if (answer.status >= 300) throw new Error(`POST /app-env answered ${answer.status}: ${answer.text}`)
    story.main = await story.serviceOf(appId, answer)
    return answer.operationId
  })
  const { status, health, replicas } = await story.awaitHealthy()
  if (status !== 'RUNNING' || replicas.ready !== 1)
    throw new Error(`It is ${status}, ${health}, ${replicas.ready} ready`)
  const [volume, ...others] = await story.volumes()
  if (!volume || others.length > 0) throw new Error(`It has ${others.length} volumes beside ${volume?.volumeId}`)
  story.volumeId = volume.volumeId
}

/** What is done to the service, and then every row is there. */
export const kept =
  (harm: (story: ServiceStory) => Promise<void>): Step['run'] =>
  async (story) => {
    await harm(story)
    await story.expectRows()
  }

/** Whole numbers below the default are within the bounds, and no server refuses them for want of memory. */
function settingOf({ engine }: ServiceStory, below: number): { name: string; value: number } {
  for (const setting of engine.settings)
    if (setting.type === 'INTEGER' && !setting.unit && setting.default - below >= setting.min)
      return { name: setting.name, value: setting.default - below }
  throw new Error(`${engine.title} has no setting that can be lowered`)
}

async function changeSettings(story: ServiceStory, below: number): Promise<string> {
  const { name, value } = settingOf(story, below)
  const { cluster, main } = story
  await cluster.ok('PUT', '/app-env', { appEnvId: main.appEnvId, databaseSettings: { [name]: value } })
  return name
}

async function expectApplied(story: ServiceStory, below: number): Promise<void> {
  const pending = await story.pendingFields()
  if (pending.length > 0) throw new Error(`Changes are still pending: ${pending.join(', ')}`)
  const { name, value } = settingOf(story, below)
  const script = ASKED[story.engine.name]?.(name)
  if (!script) return
  const { internalUrl } = await story.credentials()
  const answer = await story.answered(script, internalUrl)
  if (!new RegExp(`\\b${value}`).test(answer)) throw new Error(`The server has ${answer} for ${name}, not ${value}`)
}

/** A change of a setting is pending until it is applied. */
export async function apply(story: ServiceStory, below: number): Promise<void> {
  const name = await changeSettings(story, below)
  const pending = await story.pendingFields()
  if (!pending.some((field) => field.startsWith('databaseSettings')))
    throw new Error(`The change of ${name} is not pending: ${pending.join(', ')}`)
  await story.operate('apply-changes')
  await expectApplied(story, below)
}

interface Circumstances {
  hasStopped?: boolean
  settings?: number
}

const IN_AN_ENVIRONMENT: readonly Failpoint[] = ['container.created', 'container.started']

/** A lifecycle call whose worker is killed at a point of it. */
export const survive =
  (path: string, point: Failpoint, { hasStopped = false, settings }: Circumstances = {}): Step['run'] =>
  async (story) => {
    const { cluster, main } = story
    if (settings !== undefined) await changeSettings(story, settings)
    const subject = IN_AN_ENVIRONMENT.includes(point) ? main.appEnvId : ''
    await story.interrupted(point, subject, () =>
      cluster.begin('POST', `/app-env/${path}`, { appEnvId: main.appEnvId }),
    )
    if (settings !== undefined) await expectApplied(story, settings)
    if (!hasStopped) return story.expectRows()
    const containers = await story.containers()
    if (containers.length > 0) throw new Error(`${containers.length} containers are left of a stopped service`)
  }

/** By hand, behind Berth's back: it comes back by itself. */
export async function harm(story: ServiceStory, what: 'container' | 'process'): Promise<void> {
  const [found] = await story.containers()
  const container = story.cluster.docker.getContainer(found?.Id ?? '')
  const { State } = await container.inspect()
  if (what === 'container') await container.kill()
  // The server itself, as the kernel does when memory runs out.
  else process.kill(State.Pid, 'SIGKILL')
  await until(
    'it runs again, and serves',
    async () => {
      const [now] = await story.containers()
      const { State: after } = await story.cluster.docker.getContainer(now?.Id ?? '').inspect()
      if (!after.Running || after.Pid === State.Pid) throw new Error('It does not run again yet')
      return story.status()
    },
    ({ health }) => health === 'HEALTHY',
  )
  await until(
    'clients are served again',
    () => story.expectRows().then(() => true),
    (isServed) => isServed,
    60,
  )
}

/** Asked for without persistence, rows are gone with the container, and the answer has said so. */
export async function loseWithoutVolume(story: ServiceStory): Promise<void> {
  const service = await story.createService({ withPersistence: false })
  await story.write(service)
  const { appEnvId } = service
  const answer = await story.cluster.call('POST', '/app-env/redeploy', { appEnvId })
  if (!/data/.test(String(answer.body.message))) throw new Error(`The answer does not say so: ${answer.text}`)
  await story.expectEnded(answer.operationId)
  const { internalUrl } = await story.credentials(service)
  const { code, stdout } = await story.ask(story.client.fingerprint, internalUrl)
  if (code === 0 && stdout.toString().trim() === story.rows) throw new Error('The rows are still there')
  await story.deleteApp(service)
}
