import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Engine, EngineCredentials } from '../../src/app-types/engines/engine.ts'
import { engineVersion } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { isTested } from '../support/engines/list.ts'
import { EngineWorld, newCredentials, type Outcome, type RunningEngine } from '../support/engines/running-engine.ts'
import { bash, CLIENTS, type EngineClient } from './engine-clients.ts'

/** Others are used by other tests of this folder. */
const FEWEST = ['MYSQL']

const described = ENGINES.flatMap((engine) => {
  const client = CLIENTS[engine.name]
  return client && isTested(engine.name, FEWEST) ? [[engine.name, engine, client] as const] : []
})

function succeeded({ code, stdout, stderr }: Outcome): Buffer {
  if (code !== 0) throw new Error(`The command ended with ${code}: ${stderr}`)
  return stdout
}

/** One engine, from its first start to a restored backup, by nothing but its description. */
class Story {
  readonly world: EngineWorld
  readonly engine: Engine
  readonly client: EngineClient
  credentials: EngineCredentials
  clients!: RunningEngine
  running!: RunningEngine
  volume = ''
  rows = ''

  constructor(engine: Engine, client: EngineClient) {
    const version = engineVersion(engine, null)
    if (!version) throw new Error(`${engine.name} has no default version`)
    this.engine = engine
    this.client = client
    this.world = new EngineWorld(engine, version)
    this.credentials = newCredentials(engine.user)
  }

  async ask(script: string, { running = this.running, credentials = this.credentials } = {}): Promise<Outcome> {
    const url = this.engine.url(credentials, { host: await running.address(), port: this.engine.port })
    return this.clients.exec(bash(script), { environment: { URL: url } })
  }

  async fingerprint(from: { running?: RunningEngine; credentials?: EngineCredentials } = {}): Promise<string> {
    return succeeded(await this.ask(this.client.fingerprint, from))
      .toString()
      .trim()
  }

  async expectRefused(credentials: EngineCredentials): Promise<void> {
    const { code, stdout, stderr } = await this.ask(this.client.fingerprint, { credentials })
    expect(code).not.toBe(0)
    expect(`${stdout}${stderr}`).toMatch(this.client.refusal)
  }

  async start(volume: string, credentials: EngineCredentials): Promise<RunningEngine> {
    const running = await this.world.run(volume, credentials)
    await running.ready()
    return running
  }

  /** Whatever is between the server and its data is stopped and removed; then everything is made again. */
  async redeploy(): Promise<void> {
    await this.running.stop()
    await this.running.remove()
    this.running = await this.start(this.volume, this.credentials)
  }

  async save(): Promise<Buffer> {
    const { while: when, command } = this.engine.backup.save
    if (when === 'RUNNING') return succeeded(await this.running.exec(command, this.environment()))
    await this.running.stop()
    const backup = succeeded(await this.world.finish(command, this.volume))
    await this.running.container.start()
    await this.running.ready()
    return backup
  }

  /** Into a new environment, with credentials of its own. Fails with the first step that does. */
  async restore(backup: Buffer): Promise<{ running: RunningEngine; credentials: EngineCredentials }> {
    const { restore, afterRestore, verify } = this.engine.backup
    const [volume, credentials] = [await this.world.volume(), newCredentials(this.engine.user)]
    const isStopped = restore.while === 'STOPPED'
    if (isStopped) succeeded(await this.world.finish(restore.command, volume, { stdin: backup }))
    const running = await this.start(volume, credentials)
    if (!isStopped) succeeded(await running.exec(restore.command, { stdin: backup }))
    if (afterRestore) succeeded(await running.exec(afterRestore))
    succeeded(await running.exec(verify))
    return { running, credentials }
  }

  /** Environment of commands: that of a container with these credentials, whatever the running one was made with. */
  environment(credentials = this.credentials): { environment: Readonly<Record<string, string>> } {
    return { environment: this.world.describe(credentials).environment }
  }

  rotate(to: EngineCredentials): Promise<Outcome> {
    const { password, adminPassword } = this.credentials
    const passwords = { OLD_PASSWORD: password, OLD_ADMIN_PASSWORD: adminPassword }
    const next = { NEW_PASSWORD: to.password, NEW_ADMIN_PASSWORD: to.adminPassword }
    return this.running.exec(this.engine.rotate, { environment: { ...passwords, ...next } })
  }
}

const halved = (backup: Buffer) => backup.subarray(0, Math.floor(backup.length / 2))

describe.each(described)('%s', (_name, engine, client) => {
  const story = new Story(engine, client)

  let isAvailable = false

  beforeAll(async () => {
    isAvailable = await ensureEngineImages(story.world.docker, engine)
    if (!isAvailable) return
    await story.world.open()
    story.volume = await story.world.volume()
    story.clients = await story.world.client()
  })
  beforeEach(({ skip }) => skip(!isAvailable))
  afterAll(() => story.world[Symbol.asyncDispose]())

  test('starts as its description says, and serves clients by its URL', async () => {
    story.running = await story.start(story.volume, story.credentials)
    succeeded(await story.ask(client.write))
    story.rows = await story.fingerprint()
    expect(story.rows).toMatch(client.expected)
  })

  test('refuses wrong passwords', async () => {
    await story.expectRefused({ ...story.credentials, password: 'wrong' })
    await story.expectRefused({ ...story.credentials, password: '' })
  })

  test('keeps rows when it is stopped, started and made again', async () => {
    await story.running.stop()
    await story.running.container.start()
    await story.running.ready()
    expect(await story.fingerprint()).toBe(story.rows)
    await story.running.container.kill()
    await story.running.container.start()
    await story.running.ready()
    expect(await story.fingerprint()).toBe(story.rows)
    await story.redeploy()
    expect(await story.fingerprint()).toBe(story.rows)
  })

  test('restores a backup into a new environment, with other credentials', async () => {
    const backup = await story.save()
    const { running, credentials } = await story.restore(backup)
    expect(await story.fingerprint({ running, credentials })).toBe(story.rows)
    await running.remove()
    await expect(story.restore(halved(backup))).rejects.toThrow()
    // The one that was saved goes on as before.
    expect(await story.fingerprint()).toBe(story.rows)
  })

  test('rotates credentials', async () => {
    const [before, after] = [story.credentials, newCredentials(engine.user)]
    const watched = story.running.watchProcesses()
    // Twice, because whoever asks may be killed before it knows the answer.
    succeeded(await story.rotate(after))
    succeeded(await story.rotate(after))
    expect(await watched.stop()).not.toContain('canary')
    await story.expectRefused(before)
    expect(await story.fingerprint({ credentials: after })).toBe(story.rows)
    story.credentials = after
    succeeded(await story.running.exec(engine.backup.verify, story.environment()))
    await story.redeploy()
    await story.expectRefused(before)
    expect(await story.fingerprint()).toBe(story.rows)
  })
})
