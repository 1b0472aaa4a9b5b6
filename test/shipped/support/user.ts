import { randomUUID } from 'node:crypto'
import Docker from 'dockerode'
import { sourceOf } from '../../support/source-archive.ts'
import type { AppAnswer, Client } from './client.ts'
import { eventually } from './eventually.ts'

type Fields = Record<string, unknown>

export interface NewApp {
  accountId: string
  appId: string
  appEnvId: string
  /** The CLI name. */
  envName: string
  /** Empty for types that have none. */
  host: string
}

/** What the engine has of an environment: `docker ps --all --filter label=berth.env=…`. */
const containersOf = (appEnvId: string) =>
  new Docker().listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })

export const unique = (noun: string): string => `${noun} ${randomUUID().slice(0, 8)}`

export type User = ReturnType<typeof userOf>

/** What a user does in several calls. */
export function userOf(client: Client) {
  const { get, post, ask } = client

  async function accountId(): Promise<string> {
    return (await get('/accounts')).accounts.at(-1).accountId
  }

  /** An app and an environment of it. */
  async function createApp(app: Fields = {}, appEnv: Fields = {}): Promise<NewApp> {
    const account = { accountId: await accountId() }
    const { appId } = await post('/app', { name: unique('app'), port: 3000, ...account, ...app })
    const created = await post('/app-env', { appId, name: 'production', region: 'local', ...account, ...appEnv })
    const { appEnvId } = created
    const { cliEnvName, hosts } = await get('/app-env', { appEnvId })
    return { ...account, appId, appEnvId, envName: cliEnvName, host: hosts[0] ?? '' }
  }

  /** Uploads files as an archive, which nothing builds yet. Returns its storage key. */
  async function store({ appEnvId }: Pick<NewApp, 'appEnvId'>, files: Readonly<Record<string, string>>) {
    const { uploadUrl, storageKey } = await post('/app-env/request-storage-key', { appEnvId, fileExtension: '.tgz' })
    const sent = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(await sourceOf(files)) })
    if (!sent.ok) throw new Error(`PUT ${uploadUrl}: ${sent.status} ${await sent.text()}`)
    return storageKey as string
  }

  const statusOf = (appEnvId: string) => get('/app-env/status', { appEnvId })

  async function logsOf(appEnvId: string): Promise<string[]> {
    const { logs } = await get('/logs', { appEnvId, size: '1000' })
    return logs.map(({ message }: { message: string }) => message)
  }

  return {
    accountId,
    createApp,
    statusOf,
    /** An app that runs an image, deployed. */
    async runImage(image: string, app: Fields = {}, appEnv: Fields = {}): Promise<NewApp> {
      const created = await createApp({ useImage: true, image, ...app }, appEnv)
      await post('/app-env/deploy-image', { appEnvId: created.appEnvId, image })
      return created
    },
    store,
    /** Uploads files as an archive and has them built and deployed. */
    async upload({ appEnvId }: NewApp, files: Readonly<Record<string, string>>): Promise<void> {
      const storageKey = await store({ appEnvId }, files)
      await post('/app-env/notify-code-upload', { appEnvId, storageKey })
    },
    /** Waits until the status is one that is asked for. */
    untilStatus: (appEnvId: string, what: string, isSo: (status: Fields) => boolean) =>
      eventually(`the environment is ${what}`, () => statusOf(appEnvId), isSo),
    /** Waits until an app answers so; routes follow within a moment of the operation's end. */
    untilAnswer: (host: string, isSo: (answer: AppAnswer) => boolean, path = '/') =>
      eventually(`${host}${path} answers as it should`, () => ask(host, path), isSo),
    /** A first request to an app that sleeps. When it is not answered, the error says what Berth knows of the reason. */
    async wake({ appEnvId, host }: NewApp): Promise<AppAnswer> {
      const answer = await ask(host)
      if (answer.status === 200) return answer
      const [status, readiness] = await Promise.all([statusOf(appEnvId), client.readiness()])
      throw new Error(
        `A sleeping app is not woken: ${answer.status} ${answer.text}\nstatus: ${JSON.stringify(status)}\n/readyz: ${readiness}`,
      )
    },
    untilRunEnded: (jobRunId: string) =>
      eventually(
        'the run has ended',
        () => get('/app-env/job-run', { jobRunId }),
        ({ finishedAt }) => finishedAt !== null,
      ),
    /** Waits until the engine has no container of an environment. */
    untilNothingRuns: (appEnvId: string) =>
      eventually(
        'the environment has no container',
        () => containersOf(appEnvId),
        ({ length }) => length === 0,
      ),
    /** Waits until none of its containers runs. */
    untilNothingRunning: (appEnvId: string) =>
      eventually(
        'no container of the environment runs',
        () => containersOf(appEnvId),
        (containers) => containers.every(({ State }) => State !== 'running'),
      ),
    containersOf,
    /** By hand, behind Berth's back. */
    async removeContainersOf(appEnvId: string): Promise<void> {
      const docker = new Docker()
      const found = await containersOf(appEnvId)
      await Promise.all(found.map(({ Id }) => docker.getContainer(Id).remove({ force: true })))
    },
    logsOf,
    untilLogged: (appEnvId: string, line: string) =>
      eventually(
        `the log has: ${line}`,
        () => logsOf(appEnvId),
        (lines) => lines.includes(line),
      ),
  }
}
