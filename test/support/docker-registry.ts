import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-ports.ts'

/** Debian's package docker-registry installs it here. */
const PROGRAM = '/usr/bin/docker-registry'

export const REGISTRY_CREDENTIAL = { username: 'alice', password: 'open sesame' }

/** The same in the only format that the registry reads, created by `htpasswd -Bn`. */
const HTPASSWD = 'alice:$2y$05$B/W.jCsyLvKRJwxTcU9OZ.wTq9opjrCDNpr5ro2SilsNTLd/aiE/K'

export interface DockerRegistry extends AsyncDisposable {
  /** `127.0.0.1:<port>`, which engines trust without TLS. */
  address: string
  /** Stops the registry, as if its machine had crashed. */
  stop(): Promise<void>
}

export const isRegistryInstalled = (): Promise<boolean> =>
  access(PROGRAM).then(
    () => true,
    () => false,
  )

/** A real registry on loopback that lets in one user, or everybody. */
export async function startRegistry({ isOpen = false } = {}): Promise<DockerRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-registry-'))
  const address = `127.0.0.1:${await freePort()}`
  const settings = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    ...(isOpen ? {} : { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } }),
    http: { addr: address },
  }
  await writeFile(join(folder, 'htpasswd'), `${HTPASSWD}\n`)
  // JSON is YAML.
  await writeFile(join(folder, 'config.yml'), JSON.stringify(settings))
  const process = spawn(PROGRAM, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' })
  await answers(`http://${address}/`, process)
  const stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return
    process.kill('SIGKILL')
    await once(process, 'exit')
  }
  const close = async () => {
    await stop()
    await rm(folder, { recursive: true })
  }
  return { address, stop, [Symbol.asyncDispose]: close }
}

async function answers(url: string, process: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 100 && process.exitCode === null; attempt += 1) {
    const answer = await fetch(url).catch(() => null)
    if (answer) return
    await pause(50)
  }
  throw new Error(`${PROGRAM} does not answer at ${url}`)
}
