import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-ports.ts'
import { Shell, Terminal } from '../support/terminal.ts'

const ROOT = join(import.meta.dirname, '../..')
const TRACKED = [
  'src',
  'console',
  'text',
  'prisma',
  'scripts',
  'examples',
  'README.md',
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'schema.graphql',
]
/** As the README names them. */
const PORTS = { PORT: 4000, INGRESS_PORT: 8080 }
const RESET_TIMEOUT_MS = 60_000

/** A clone of the project with its dependencies, in which nothing has run yet. */
export class Clone implements AsyncDisposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-clone-')))
  /** Where another program has the README's ports, Berth gets others, and blocks name those. */
  #ports = PORTS
  readonly #env: Record<string, string> = {
    // It would outlive the test as rules of this machine.
    BERTH_HOST_FIREWALL: 'off',
    BERTH_DRAIN_SECONDS: '1',
    BERTH_STOP_GRACE_SECONDS: '1',
    // A new clone has compiled nothing, and leaves what this one has compiled alone.
    NODE_COMPILE_CACHE: join(this.folder, '.compiled'),
  }

  static async make(): Promise<Clone> {
    const clone = new Clone()
    for (const path of TRACKED) cpSync(join(ROOT, path), join(clone.folder, path), { recursive: true })
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(clone.folder, 'node_modules'))
    if (!(await Promise.all(Object.values(PORTS).map(isFree))).every(Boolean)) {
      clone.#ports = { PORT: await freePort(), INGRESS_PORT: await freePort() }
      for (const [name, port] of Object.entries(clone.#ports)) clone.#env[name] = `${port}`
      console.warn('Another program has port 4000 or 8080: the blocks of the README are pasted with other ports')
    }
    return clone
  }

  /** The block as it is pasted: verbatim, unless its ports are taken. */
  block(text: string): string {
    return text
      .replaceAll(`:${PORTS.PORT}/`, `:${this.#ports.PORT}/`)
      .replaceAll(`:${PORTS.INGRESS_PORT}/`, `:${this.#ports.INGRESS_PORT}/`)
  }

  /** Runs a document by the admin; what is wrong with it. */
  async graphql(query: string): Promise<unknown> {
    const token = readFileSync(join(this.folder, '.berth/admin-token'), 'utf8').trim()
    const response = await fetch(`http://127.0.0.1:${this.#ports.PORT}/graphql`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    return ((await response.json()) as { errors?: unknown }).errors
  }

  /** An interactive shell, by default in the folder of the clone. */
  shell(name: keyof typeof Shell.COMMANDS, folder = this.folder): Shell {
    return new Shell(name, { cwd: folder, env: this.#env })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(join(this.folder, '.berth'))) await this.#reset()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A Berth whose terminal is gone takes some seconds to stop. */
  async #reset(): Promise<void> {
    const deadline = performance.now() + RESET_TIMEOUT_MS
    for (;;) {
      await using reset = new Terminal('npm run reset -- --yes', { cwd: this.folder, env: this.#env })
      if ((await reset.ended()) === 0) return
      if (!reset.said.includes('Berth is running') || performance.now() > deadline) throw new Error(reset.said)
    }
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
