import type { Engine } from '../../../src/app-types/engines/engine.ts'
import type { Failpoint } from '../../../src/fault-injection/failpoint.ts'
import { type EndedOperation, ended } from '../../crash/harness/subject.ts'
import type { Answer, TestCluster } from '../../crash/harness/test-cluster.ts'
import type { Outcome, RunningEngine } from '../../support/engines/running-engine.ts'
import { bash, type EngineClient } from '../engine-clients.ts'
import { clientOn, clientOnHost } from './account-clients.ts'
import { until } from './until.ts'

/** A bound on a hang, not a measure: a busy machine initialises a database for a minute. */
const OPERATION_SECONDS = 240
const WAIT = { prefer: 'wait=120' }

export interface Service {
  appId: string
  appEnvId: string
  cliEnvName: string
}

export interface Credentials {
  username: string
  password: string
  database: string | null
  internalUrl: string
  externalUrl: string | null
}

export interface ServiceStatus {
  status: string
  health: string
  observedReason: string | null
  pendingChanges: { changes: { field: string }[] }
  replicas: { desired: number; running: number; ready: number }
}

let kills = 0

/** One engine from its creation to its deletion, by the public interface, in an account of its own. */
export class ServiceStory {
  readonly cluster: TestCluster
  readonly engine: Engine
  readonly client: EngineClient
  readonly passwords = new Set<string>()
  accountId = ''
  /** The environment that the story is about. */
  main!: Service
  volumeId = ''
  /** The backup that was taken of it. */
  backupKey = ''
  /** What its rows look like. */
  rows = ''
  #apps = 0
  #clients: RunningEngine | null = null
  #outside: RunningEngine | null = null

  constructor(cluster: TestCluster, engine: Engine, client: EngineClient) {
    this.cluster = cluster
    this.engine = engine
    this.client = client
  }

  async open(name = `The ${this.engine.title} account`): Promise<this> {
    const { accountId } = await this.cluster.ok('POST', '/account', { name })
    this.accountId = String(accountId)
    return this
  }

  async close(): Promise<void> {
    await this.#clients?.remove()
    await this.#outside?.remove()
    this.#clients = null
    this.#outside = null
  }

  async createApp(fields: Record<string, unknown> = {}): Promise<string> {
    this.#apps += 1
    const app = { name: `${this.engine.name} ${this.#apps}`, accountId: this.accountId }
    const { appId } = await this.cluster.ok('POST', '/app', { ...app, dockerPreset: this.engine.name, ...fields })
    return String(appId)
  }

  /** Asks for an environment; it is deployed at once. */
  requestService(appId: string, fields: Record<string, unknown> = {}, headers = {}): Promise<Answer> {
    const appEnv = { accountId: this.accountId, appId, name: 'production', region: 'local' }
    return this.cluster.call('POST', '/app-env', { ...appEnv, ...fields }, headers)
  }

  async createService(fields: Record<string, unknown> = {}): Promise<Service> {
    const appId = await this.createApp()
    const answer = await this.requestService(appId, fields, WAIT)
    if (answer.status >= 300) throw new Error(`POST /app-env answered ${answer.status}: ${answer.text}`)
    const service = await this.serviceOf(appId, answer)
    await this.expectEnded(answer.operationId)
    return service
  }

  async serviceOf(appId: string, { body }: Answer): Promise<Service> {
    const appEnvId = String(body.appEnvId)
    const { cliEnvName } = await this.cluster.ok('GET', `/app-env?appEnvId=${appEnvId}`)
    return { appId, appEnvId, cliEnvName: String(cliEnvName) }
  }

  async expectEnded(operationId: string | null, status = 'SUCCEEDED'): Promise<EndedOperation> {
    if (operationId === null) throw new Error('No operation was begun')
    const operation = await ended(this.cluster, operationId, OPERATION_SECONDS)
    if (operation.status !== status) throw new Error(`It should have ended ${status}: ${JSON.stringify(operation)}`)
    return operation
  }

  /** A lifecycle call whose operation has to succeed. */
  async operate(path: string, { appEnvId } = this.main): Promise<void> {
    await this.expectEnded(await this.cluster.begin('POST', `/app-env/${path}`, { appEnvId }))
  }

  /** The worker's process is killed at a point of the work, and a new one has to bring it to its end. */
  async interrupted(
    point: Failpoint,
    subject: string,
    begin: () => Promise<string | null>,
    { pass = 1 } = {},
  ): Promise<void> {
    const { orders, processes } = this.cluster
    kills += 1
    orders.arm({ point, subject, pass }, 'SIGKILL', `${this.engine.name} ${kills}`)
    const ending = begin().then((operationId) => this.expectEnded(operationId))
    const wasKilled = await ending.then(
      () => orders.disarm(),
      (error: Error) => {
        orders.disarm()
        throw error
      },
    )
    if (!wasKilled) throw new Error(`No process was killed: nothing passed ${point}`)
    await Promise.all(processes.map((one) => one.ready()))
  }

  async credentials({ appEnvId }: Pick<Service, 'appEnvId'> = this.main): Promise<Credentials> {
    const answer = await this.cluster.ok('GET', `/app-env/credentials?appEnvId=${appEnvId}`)
    const credentials = answer as unknown as Credentials
    this.passwords.add(credentials.password)
    return credentials
  }

  async status({ appEnvId }: Pick<Service, 'appEnvId'> = this.main): Promise<ServiceStatus> {
    return (await this.cluster.ok('GET', `/app-env/status?appEnvId=${appEnvId}`)) as unknown as ServiceStatus
  }

  awaitHealthy(service: Pick<Service, 'appEnvId'> = this.main): Promise<ServiceStatus> {
    return until(
      'the service is healthy again',
      () => this.status(service),
      ({ health }) => health === 'HEALTHY',
    )
  }

  /** Runs a script of the engine's own client in another container of the account. */
  async ask(script: string, url: string): Promise<Outcome> {
    this.#clients ??= await clientOn(this.cluster.docker, this.engine, {
      installationId: this.cluster.installationId,
      accountId: this.accountId,
    })
    return this.#clients.exec(bash(script), { environment: { URL: url } })
  }

  /** The same, from the host: outside of every network of the engine. */
  async askFromHost(script: string, url: string): Promise<Outcome> {
    this.#outside ??= await clientOnHost(this.cluster.docker, this.engine)
    return this.#outside.exec(bash(script), { environment: { URL: url } })
  }

  async answered(script: string, url: string): Promise<string> {
    const { code, stdout, stderr } = await this.ask(script, url)
    if (code !== 0) throw new Error(`The client ended with ${code}: ${stderr.slice(-500)}`)
    return stdout.toString().trim()
  }

  async write(service: Service = this.main): Promise<void> {
    const { internalUrl } = await this.credentials(service)
    await this.answered(this.client.write, internalUrl)
    const rows = await this.answered(this.client.fingerprint, internalUrl)
    if (!this.client.expected.test(rows)) throw new Error(`The rows are not those that were written: ${rows}`)
    this.rows ||= rows
  }

  async expectRows(service: Pick<Service, 'appEnvId'> = this.main): Promise<void> {
    const { internalUrl } = await this.credentials(service)
    const rows = await this.answered(this.client.fingerprint, internalUrl)
    if (rows !== this.rows) throw new Error(`The rows were ${this.rows} and are ${rows}`)
  }

  async expectRefused(url: string): Promise<void> {
    const { code, stdout, stderr } = await this.ask(this.client.fingerprint, url)
    const words = `${stdout}${stderr}`
    if (code === 0 || !this.client.refusal.test(words)) throw new Error(`The old password was not refused: ${words}`)
  }

  containers({ appEnvId }: Pick<Service, 'appEnvId'> = this.main) {
    return this.cluster.docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })
  }

  /** Fields whose change is not applied yet. */
  async pendingFields(service: Pick<Service, 'appEnvId'> = this.main): Promise<string[]> {
    const { pendingChanges } = await this.status(service)
    return pendingChanges.changes.map(({ field }) => field)
  }

  async volumes(): Promise<{ volumeId: string; isAttached: boolean; appEnvId: string }[]> {
    const { volumes } = await this.cluster.ok('GET', `/volumes?accountId=${this.accountId}`)
    return volumes as { volumeId: string; isAttached: boolean; appEnvId: string }[]
  }

  async deleteApp({ appId }: Pick<Service, 'appId'>): Promise<void> {
    const answer = await this.cluster.call('DELETE', `/app?appId=${appId}`, undefined, WAIT)
    if (answer.status >= 300) throw new Error(`DELETE /app answered ${answer.status}: ${answer.text}`)
  }

  /** Asks for something that has to be refused, with words that say what and why. */
  async expectRefusal(answer: Promise<Answer>, status: number, words: RegExp): Promise<void> {
    const { status: given, text } = await answer
    if (given !== status || !words.test(text))
      throw new Error(`It should have been refused with ${status} and ${words}: ${given} ${text}`)
  }
}
