import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { type PrivateEngine, privateEngineProblem, startPrivateEngine } from '../crash/harness/private-engine.ts'

const SSHD = '/usr/sbin/sshd'
const SSH_PORT = 2222
const TLS_PORT = 2376
const START_MS = 30_000

/** Why no second machine can be pretended here; null when one can. */
export const remoteMachineProblem = (): string | null =>
  privateEngineProblem() ??
  (spawnSync('which', ['openssl', 'nsenter']).status === 0 ? null : 'openssl is not installed')

/** Why nobody can come in by SSH; null when one can. */
export const sshProblem = (): string | null => (existsSync(SSHD) ? null : 'openssh-server is not installed')

export interface RemoteMachine extends AsyncDisposable {
  /** Its own address, at which everything it publishes is reached. */
  address: string
  engine: PrivateEngine
  /** By TLS, with certificates on both sides. */
  tlsAddress: string
  /** Puts what a client needs to reach the engine by TLS into a folder. */
  writeTlsKeys(folder: string): void
  /** Starts an SSH server; returns the engine's address through it, and puts the keys into a folder. */
  serveSsh(folder: string): Promise<string>
}

/** A network of its own with a container engine in it, joined to this machine by a cable. */
export async function startRemoteMachine(): Promise<RemoteMachine> {
  await using undo = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'br-'))
  undo.defer(() => rmSync(folder, { recursive: true, force: true }))
  const cable = layCable()
  undo.defer(() => void spawnSync('ip', ['netns', 'delete', cable.namespace]))
  const { address, namespace } = cable
  makeCertificates(folder, address)
  const engine = undo.use(
    await startPrivateEngine({
      namespace,
      listen: [
        '--host',
        `tcp://${address}:${TLS_PORT}`,
        '--tlsverify',
        '--tlscacert',
        join(folder, 'ca.pem'),
        '--tlscert',
        join(folder, 'server.pem'),
        '--tlskey',
        join(folder, 'server-key.pem'),
      ],
    }),
  )
  const running = undo.move()
  return {
    address,
    engine,
    tlsAddress: `tcp://${address}:${TLS_PORT}`,
    writeTlsKeys(into) {
      mkdirSync(into, { recursive: true })
      for (const name of ['ca.pem', 'cert.pem']) writeFileSync(join(into, name), readFileSync(join(folder, name)))
      writeFileSync(join(into, 'key.pem'), readFileSync(join(folder, 'key.pem')), { mode: 0o600 })
    },
    async serveSsh(into) {
      const server = await startSsh(folder, cable, into)
      running.defer(() => end(server))
      return `ssh://root@${address}:${SSH_PORT}${engine.socketPath}`
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Copies an image from one engine to another. */
export async function copyImage(from: Docker, to: Docker, image: string): Promise<void> {
  const loading = await to.loadImage(await from.getImage(image).get())
  await new Promise((resolve, reject) =>
    to.modem.followProgress(loading, (error) => (error ? reject(error) : resolve(null))),
  )
}

function layCable() {
  const name = randomBytes(3).toString('hex')
  const network = `10.214.${randomBytes(1)[0]}`
  const [namespace, here, there] = [`br${name}`, `bh${name}`, `bt${name}x`]
  const address = `${network}.2`
  for (const args of [
    ['netns', 'add', namespace],
    ['link', 'add', here, 'type', 'veth', 'peer', 'name', there],
    ['link', 'set', there, 'netns', namespace],
    ['address', 'add', `${network}.1/30`, 'dev', here],
    ['link', 'set', here, 'up'],
    ['-n', namespace, 'address', 'add', `${address}/30`, 'dev', there],
    ['-n', namespace, 'link', 'set', there, 'up'],
    ['-n', namespace, 'link', 'set', 'lo', 'up'],
  ])
    run('ip', args)
  return { namespace, address }
}

/** An authority of the operator's own, which has signed one certificate for each side. */
function makeCertificates(folder: string, address: string): void {
  const at = (name: string) => join(folder, name)
  const ask = (subject: string, name: string) => {
    const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${subject}`]
    run('openssl', [...request, '-keyout', at(`${name}key.pem`), '-out', at(`${name}.csr`)])
  }
  const sign = (name: string, into: string, extension: string) => {
    writeFileSync(at('extension'), extension)
    const signed = [
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      '-days',
      '2',
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca-key.pem'),
    ]
    run('openssl', [...signed, '-CAcreateserial', '-extfile', at('extension'), '-out', at(into)])
  }
  const authority = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=authority of a test']
  run('openssl', [...authority, '-keyout', at('ca-key.pem'), '-out', at('ca.pem')])
  ask('engine', 'server-')
  sign('server-', 'server.pem', `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth\n`)
  ask('berth', '')
  sign('', 'cert.pem', 'extendedKeyUsage=clientAuth\n')
}

async function startSsh(
  folder: string,
  { namespace, address }: { namespace: string; address: string },
  into: string,
): Promise<ChildProcess> {
  mkdirSync(into, { recursive: true })
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const hostKey = join(folder, 'host_key')
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(into, 'ssh_key')])
  const authorized = join(folder, 'authorized_keys')
  writeFileSync(authorized, readFileSync(join(into, 'ssh_key.pub')))
  chmodSync(authorized, 0o600)
  writeFileSync(join(into, 'known_hosts'), `${address} ${readFileSync(`${hostKey}.pub`, 'utf8')}`)
  const settings = [
    `Port=${SSH_PORT}`,
    `ListenAddress=${address}`,
    `HostKey=${hostKey}`,
    `AuthorizedKeysFile=${authorized}`,
    'StrictModes=no',
    'UsePAM=no',
    'PermitRootLogin=prohibit-password',
    'PidFile=none',
    'PasswordAuthentication=no',
  ]
  const args = [
    `--net=/run/netns/${namespace}`,
    SSHD,
    '-D',
    '-e',
    '-f',
    '/dev/null',
    ...settings.flatMap((one) => ['-o', one]),
  ]
  const server = spawn('nsenter', args, { stdio: 'ignore' })
  const until = Date.now() + START_MS
  while (!(await accepts(address, SSH_PORT))) {
    if (Date.now() > until || server.exitCode !== null) throw new Error('sshd did not start')
    await pause(50)
  }
  return server
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}
