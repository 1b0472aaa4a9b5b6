import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, DEFAULT_SOCKET } from './find-engine.mjs'
import { runQuietly, SetupError, step } from './step.mjs'

const START_TIMEOUT_SECONDS = 60
const ENGINE = `unix://${DEFAULT_SOCKET}`

/** Installs and starts Docker Engine if that needs no question to the user; null if it does. `onStart` gets what it runs. */
export async function provideEngine(dataDir, onStart) {
  const asRoot = rootPrefix()
  if (process.platform !== 'linux' || process.env.DOCKER_HOST || !asRoot) return null
  if (!hasProgram('dockerd')) {
    if (!isDebian()) return null
    let now = ''
    const onLine = (line) => {
      now = line
    }
    await step(
      'Installing Docker Engine (docker.io)',
      () => install(asRoot, { onLine, onStart }),
      () => now,
    )
  }
  await step('Starting Docker Engine', () => start(asRoot, dataDir))
  return ENGINE
}

async function install(asRoot, options) {
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y']
  await run([...apt, 'update'], options)
  await run([...apt, 'install', '--no-install-recommends', 'docker.io'], options)
}

async function start(asRoot, dataDir) {
  if (await answers(ENGINE)) return
  const log = join(dataDir, 'dockerd.log')
  let ended = false
  if (existsSync('/run/systemd/system')) {
    await run([...asRoot, 'systemctl', 'start', 'docker'])
  } else {
    launch(asRoot, dataDir, log, () => {
      ended = true
    })
  }
  const deadline = Date.now() + START_TIMEOUT_SECONDS * 1000
  while (!(await answers(ENGINE))) {
    if (ended) throw new SetupError(`Docker Engine ended as soon as it was started; its last words:\n${tail(log)}`)
    if (Date.now() > deadline) {
      throw new SetupError(`Docker Engine did not answer within ${START_TIMEOUT_SECONDS} s:\n${tail(log)}`)
    }
    await sleep(100)
  }
}

/** Without systemd the daemon is a child in its own session, and outlives Berth. */
function launch(asRoot, dataDir, log, onEnd) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  removeStalePidFiles()
  const output = openSync(log, 'a', 0o600)
  const [command, ...args] = [...asRoot, 'dockerd']
  const daemon = spawn(command, args, { detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  daemon.once('error', onEnd)
  daemon.once('exit', onEnd)
  daemon.unref()
}

/**
 * After a crash of the machine the recorded process id may be another program's, which dockerd would mistake for
 * itself.
 */
function removeStalePidFiles() {
  for (const file of ['/var/run/docker.pid', '/var/run/docker/containerd/containerd.pid']) {
    if (!existsSync(file)) continue
    const name = `/proc/${readFileSync(file, 'utf8').trim()}/comm`
    if (!existsSync(name) || !/^(dockerd|containerd)/.test(readFileSync(name, 'utf8'))) rmSync(file, { force: true })
  }
}

/** Prefix for a command that needs root: nothing, or sudo if it asks for no password. Null: neither works. */
function rootPrefix() {
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : null
}

function isDebian() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release) && hasProgram('apt-get')
}

function hasProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  return folders.some((folder) => existsSync(join(folder, name)))
}

const run = ([command, ...args], options) => runQuietly(command, args, options)

const tail = (log) => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-8).join('\n') : '')
