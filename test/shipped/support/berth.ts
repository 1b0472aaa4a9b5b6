import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { leftovers } from '../../../scripts/engine-leftovers.ts'
import { freePorts } from '../../support/free-ports.ts'
import { removeEverything } from '../../support/remove-everything.ts'
import { recordInstallation } from '../../support/test-installations.ts'
import { eventually } from './eventually.ts'
import { type ExternalDatabase, startExternalDatabase } from './external-database.ts'
import { processesOfBerth } from './processes.ts'
import { copyTree, removeTree } from './tree-copy.ts'

/**
 * How Berth is started: `one-command` is `npm start` with nothing set but free ports; `three-processes` are three of
 * them, one for each role, on a PostgreSQL whose roles have no rights beyond their database.
 */
export type Composition = 'one-command' | 'three-processes'

/** What a client needs to know of a Berth, as its welcome tells a user. */
export interface Address {
  url: string
  ingressPort: number
  token: string
  folder: string
}

type Environment = Record<string, string>

/** Settings of the machine rather than of Berth, which a user's shell has, too. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'DOCKER_HOST']

interface BerthOptions {
  composition: Composition
  /** What this Berth has set besides its ports. */
  settings?: Environment
}

/** Berth as a user has it: `npm start` in a copy of the tree. */
export class Berth {
  readonly folder = copyTree()
  readonly #settings: Environment
  #ports = { api: 0, ingress: 0, workerHealth: 0, ingressHealth: 0 }
  #database: ExternalDatabase | null = null
  #commands: ChildProcess[] = []
  /** Everything that its processes have said, for messages of failures. */
  #said = ''

  private constructor(settings: Environment) {
    this.#settings = settings
  }

  static async start(options: BerthOptions): Promise<Berth> {
    const berth = new Berth(options.settings ?? {})
    try {
      const [api = 0, ingress = 0, workerHealth = 0, ingressHealth = 0] = await freePorts(4)
      berth.#ports = { api, ingress, workerHealth, ingressHealth }
      if (options.composition === 'three-processes') berth.#database = await startExternalDatabase(berth.folder)
      await berth.start()
      return berth
    } catch (error) {
      await berth.remove()
      throw error
    }
  }

  get address(): Address {
    return {
      url: `http://127.0.0.1:${this.#ports.api}`,
      ingressPort: this.#ports.ingress,
      token: readFileSync(join(this.folder, '.berth/admin-token'), 'utf8').trim(),
      folder: this.folder,
    }
  }

  get said(): string {
    return this.#said
  }

  /** `npm start`, again if it has ended; waits until each process says that it is ready. */
  async start(): Promise<void> {
    this.#said = ''
    this.#commands = []
    for (const { environment, healthPort } of this.#starts()) {
      const command = this.#npm(['start'], environment)
      this.#commands.push(command)
      const isSo = async () => hasEnded(command) || (await isReady(healthPort))
      await eventually('npm start is ready', isSo).catch((error: Error) => {
        throw new Error(`${error.message}\nIt has said:\n${this.#said}`)
      })
      if (hasEnded(command)) throw new Error(`npm start has ended:\n${this.#said}`)
    }
  }

  /** Ctrl-C: the terminal sends it to each process in its foreground. Waits until nothing of Berth runs. */
  async interrupt(): Promise<void> {
    for (const command of this.#commands) if (!hasEnded(command)) process.kill(-(command.pid ?? 0), 'SIGINT')
    await eventually('nothing of Berth runs after Ctrl-C', () => processesOfBerth(this.folder), isEmpty)
  }

  /** SIGKILL to everything at once: npm, Berth's processes, and the database that it brought. */
  async kill(): Promise<void> {
    for (const { pid } of processesOfBerth(this.folder)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The death of another process has ended it.
      }
    }
    await eventually('nothing of Berth runs after SIGKILL', () => processesOfBerth(this.folder), isEmpty)
  }

  /** Runs a script of the project in the copy, such as `reset -- --yes`; what it said, and its exit code. */
  async run(...script: string[]): Promise<{ code: number | null; said: string }> {
    const before = this.#said.length
    const command = this.#npm(['run', ...script], this.#common())
    await once(command, 'exit')
    return { code: command.exitCode, said: this.#said.slice(before) }
  }

  /** Ends it and removes all that it made. What `npm run reset` leaves behind is an error. */
  async remove(): Promise<void> {
    try {
      const installations = await this.#installations().catch(() => [])
      if (this.#commands.some((command) => !hasEnded(command))) await this.interrupt()
      // What belongs to an external database is for its owner to remove.
      if (this.#database) await this.#removeOf(await this.#database.installation())
      else if (existsSync(join(this.folder, '.berth'))) await this.#reset(installations)
    } finally {
      await this.#database?.stop()
      await this.kill()
      removeTree(this.folder)
    }
  }

  /** Recorded now only: whatever ends the run removes what is recorded, and a Berth that runs would repair it. */
  async #removeOf(installation: string): Promise<void> {
    recordInstallation(installation)
    await removeEverything(new Docker(), installation)
  }

  async #reset(installations: readonly string[]): Promise<void> {
    const { code, said } = await this.run('reset', '--', '--yes')
    if (code !== 0) throw new Error(`npm run reset ended with ${code}:\n${said}`)
    await expectNothingLeft(installations, said)
  }

  /** What marks its containers on the engine: a user finds it on any of them, by the account. */
  async #installations(): Promise<string[]> {
    const { url, token } = this.address
    const headers = { authorization: token }
    const response = await fetch(`${url}/api/public/v1/accounts`, { headers, signal: AbortSignal.timeout(10_000) })
    const { accounts } = (await response.json()) as { accounts: { accountId: string }[] }
    const docker = new Docker()
    const found = await Promise.all(
      accounts.map(({ accountId }) => leftovers(docker, { label: [`berth.account=${accountId}`] })),
    )
    const ids = [...new Set(found.flat().map(({ installationId }) => installationId))].filter(Boolean)
    for (const id of ids) recordInstallation(id)
    return ids
  }

  #common(): Environment {
    const { api, ingress } = this.#ports
    const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))
    return { ...Object.fromEntries(inherited), PORT: `${api}`, INGRESS_PORT: `${ingress}`, ...this.#settings }
  }

  #starts(): { environment: Environment; healthPort: number }[] {
    const { api, workerHealth, ingressHealth } = this.#ports
    if (!this.#database) return [{ environment: this.#common(), healthPort: api }]
    const { ownerUrl, ingressUrl } = this.#database
    const role = (BERTH_ROLES: string, DATABASE_URL: string, healthPort: number) => {
      const health: Environment = healthPort === api ? {} : { BERTH_HEALTH_PORT: `${healthPort}` }
      return { environment: { ...this.#common(), ...health, BERTH_ROLES, DATABASE_URL }, healthPort }
    }
    return [
      role('api', ownerUrl, api),
      role('worker', ownerUrl, workerHealth),
      role('ingress', ingressUrl, ingressHealth),
    ]
  }

  #npm(args: string[], env: Environment): ChildProcess {
    // A process group of its own, as a shell gives to a command.
    const command = spawn('npm', args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [command.stdout, command.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#said += chunk
      })
    }
    return command
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const isEmpty = (list: readonly unknown[]): boolean => list.length === 0

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => null,
  )
  return ((await response?.json().catch(() => null)) as { ready?: boolean } | null)?.ready === true
}

/** But for what it has said that the engine keeps. */
async function expectNothingLeft(installations: readonly string[], said: string): Promise<void> {
  const docker = new Docker()
  for (const id of installations) {
    const found = await leftovers(docker, { label: [`berth.installation=${id}`] })
    const left = found.filter(({ name }) => !said.includes(`keeps the empty network ${name}`))
    if (left.length === 0) continue
    await removeEverything(docker, id)
    throw new Error(`npm run reset leaves on the engine: ${left.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`)
  }
}
