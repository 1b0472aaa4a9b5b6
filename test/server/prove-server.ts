// npm run prove -- server [--only first,guard,disk,build,backup,rotation,upgrade]    a server of its own: first starts, firewall,
// full disk, and power cuts in the middle of work
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import { findEngine } from '../../src/app-types/engines/engines.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { DebianMachine, machineProblem } from './debian-machine.ts'

const ROOT = join(import.meta.dirname, '../..')
const FIRST_CUTS_SECONDS = [5, 15, 30, 60]
const DATABASE_WAIT_SECONDS = 600

const PARTS: Record<string, (server: DebianMachine) => Promise<void> | void> = {
  first,
  guard,
  disk,
  build,
  backup,
  rotation,
  upgrade,
}
const { values } = parseArgs({ options: { only: { type: 'string', default: Object.keys(PARTS).join(',') } } })

const problem = machineProblem()
if (problem) {
  console.log(`Not run: ${problem}`)
  process.exit(1)
}

let failures = 0
function show(what: string, isHeld: boolean, about: string): void {
  if (!isHeld) failures += 1
  console.log(`  ${isHeld ? '✓' : '×'} ${what}: ${about}`)
}

const ask = (server: DebianMachine, command: string, argument = '') =>
  JSON.parse(server.run(`node /root/inside.mjs ${command} '${argument}'`))

/** This commit, set up as a start would, with its origin beside it. */
function provide(server: DebianMachine): void {
  const folder = mkdtempSync(join(tmpdir(), 'berth-server-'))
  try {
    execFileSync('git', ['clone', '-q', '--bare', ROOT, join(folder, 'origin.git')])
    execFileSync('git', ['-C', join(folder, 'origin.git'), 'update-ref', 'refs/heads/main', head()])
    execFileSync('git', ['-C', join(folder, 'origin.git'), 'symbolic-ref', 'HEAD', 'refs/heads/main'])
    execFileSync('git', ['clone', '-q', join(folder, 'origin.git'), join(folder, 'berth')])
    execFileSync('node', ['scripts/berth.mjs', 'prepare'], { cwd: join(folder, 'berth'), stdio: 'ignore' })
    server.up()
    server.put(folder, '/root')
    server.run('cd /root/berth && git remote set-url origin /root/origin.git && sync')
    execFileSync('cp', [join(import.meta.dirname, 'inside.mjs'), folder])
    server.run(
      `cat > /root/inside.mjs <<'END'\n${execFileSync('cat', [join(folder, 'inside.mjs')], { encoding: 'utf8' })}\nEND`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const head = () => execFileSync('git', ['-C', ROOT, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()

/** A first start that is cut off: the next boot has a Berth that works, with no hand laid on it. */
async function first(server: DebianMachine): Promise<void> {
  console.log('\nA first start that is cut off, seconds after its database is there')
  for (const seconds of FIRST_CUTS_SECONDS) {
    server.attempt('cd /root/berth && npm run service -- remove; rm -rf /root/berth/.berth /etc/berth; sync')
    server.begin('cd /root/berth && npm run service -- install')
    const wait = `for i in $(seq ${DATABASE_WAIT_SECONDS * 5}); do [ -e /root/berth/.berth/postgres ] && break; sleep 0.2; done`
    server.run(wait)
    await pause(seconds * 1000)
    const before = server.attempt('cat /root/berth/.berth/admin-token')
    server.cut()
    server.up()
    const { seconds: since } = ask(server, 'ready')
    const token = server.run('cat /root/berth/.berth/admin-token')
    const isSame = before.length < 20 || before === token
    const user = ask(server, 'whoami')
    show(
      `${seconds} s`,
      isSame && Boolean(user),
      `ready ${since} s after power; the token ${isSame ? 'is' : 'was not'} kept`,
    )
  }
}

const TITLE = '\nPower cuts in the middle of work; seconds from power to the first answer'

/** The app's first answer after a cut in a build is of the version before or after it: both are right. */
async function build(server: DebianMachine): Promise<void> {
  console.log(TITLE)
  const host = prepareProbe(server)
  await cutAt(server, host, 'nothing', () => {})
  await cutAt(server, host, 'a build and deployment', () => server.begin("node /root/inside.mjs build 'two'"), 4_000)
  const built = ask(server, 'built')
  show(
    'and then',
    built.status === 'SUCCEEDED',
    `the build ends ${built.status}, ${ask(server, 'answers', `${host} two`).text}`,
  )
}

async function backup(server: DebianMachine): Promise<void> {
  console.log(TITLE)
  const host = prepareProbe(server)
  if (!(await giveServiceImage(server))) return show('a backup', false, 'there is no image of a managed service')
  const service = ask(server, 'service')
  show('a managed service', service.status === 'SUCCEEDED', service.status)
  await cutAt(server, host, 'a backup', () => server.begin('node /root/inside.mjs backup'), 3_000)
  const backups = ask(server, 'backups') as { status: string }[]
  show('and then', backups.length > 0 && backups.every(({ status }) => status !== 'CREATING'), JSON.stringify(backups))
}

async function rotation(server: DebianMachine): Promise<void> {
  console.log(TITLE)
  const host = prepareProbe(server)
  const rotate = 'systemctl stop berth && cd /root/berth && npm run key:rotate'
  for (const ms of [8_000, 14_000])
    await cutAt(server, host, `a key rotation, after ${ms / 1000} s`, () => server.begin(rotate), ms)
}

async function upgrade(server: DebianMachine): Promise<void> {
  console.log(TITLE)
  const host = prepareProbe(server)
  server.run(
    'rm -rf /root/next && git clone -q /root/origin.git /root/next && cd /root/next && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m Next && git push -q && sync',
  )
  const wanted = server.run('git -C /root/origin.git rev-parse main')
  const command = 'cd /root/berth && npm run service -- upgrade'
  await cutAt(server, host, 'an upgrade', () => server.begin(command), 20_000)
  const said = server.attempt(command)
  const present = server.run('git -C /root/berth rev-parse HEAD')
  const isDone = present === wanted
  show('and then', isDone, isDone ? `the upgrade is completed: ${present.slice(0, 12)}` : said)
}

/** No registry can be reached there. False where there is no image to give. */
async function giveServiceImage(server: DebianMachine): Promise<boolean> {
  const docker = new Docker()
  const redis = findEngine('REDIS')
  if (!redis || !(await ensureEngineImages(docker, redis))) return false
  const version = redis.versions.find((one) => one.version === redis.defaultVersion)
  const saved = await docker.getImage(version?.image ?? redis.versions[0].image).get()
  const load =
    "curl -sS --unix-socket /var/run/docker.sock -X POST -H 'Content-Type: application/x-tar' -T - http://docker/images/load"
  await server.send(load, saved)
  return true
}

async function cutAt(server: DebianMachine, host: string, what: string, begin: () => void, afterMs = 0): Promise<void> {
  begin()
  await pause(afterMs)
  server.cut()
  server.up()
  try {
    const { seconds } = ask(server, 'answers', `${host} says`)
    const docker = server.run('systemctl show docker --property=ActiveEnterTimestampMonotonic --value')
    show(
      what,
      true,
      `the app answers ${seconds} s after power; docker.service alone ${(Number(docker) / 1e6).toFixed(1)} s`,
    )
    ask(server, 'ready')
  } catch (error) {
    show(what, false, `${(error as Error).message}\n${server.attempt('journalctl -u berth -n 20 -o cat --no-pager')}`)
  }
}

/** A translated processor takes minutes for what is allowed seconds. */
const SLOWLY = 'BERTH_SOURCE_READING_SECONDS=300'

/** Has an app that answers. Returns its host. */
function prepareProbe(server: DebianMachine): string {
  server.attempt(`systemctl is-active -q berth || (cd /root/berth && ${SLOWLY} npm run service -- install)`)
  ask(server, 'ready')
  server.attempt('cd /root/berth && npm run demo')
  ask(server, 'build', 'one')
  const built = ask(server, 'built')
  if (built.status !== 'SUCCEEDED') throw new Error(`The probe is not built: ${JSON.stringify(built)}`)
  return ask(server, 'host')
}

/** The app that looks for the machine's SSH from its first moment on. */
function guard(server: DebianMachine): void {
  console.log('\nRules before the first container of a tenant')
  const host = prepareProbe(server)
  server.reboot()
  const guarded = JSON.parse(ask(server, 'answers', `${host} says`).text)
  show(
    'with the unit',
    guarded.tried > 0 && guarded.reached === 0,
    `${guarded.tried} attempts to reach ${guarded.address}:22, ${guarded.reached} succeeded`,
  )
  const order = server.run(
    "journalctl -b -o short-monotonic --no-pager -u berth-firewall -u docker | grep -E 'Laid the rules|Loading containers: start'",
  )
  show('in the journal', /Laid[\s\S]*Loading/.test(order), `\n      ${order.replaceAll('\n', '\n      ')}`)
  server.run('systemctl disable -q berth-firewall; systemctl disable -q berth')
  server.reboot()
  server.run('sleep 20; systemctl start berth')
  const bare = JSON.parse(ask(server, 'answers', `${host} says`).text)
  show('without it, for comparison', true, `${bare.tried} attempts, ${bare.reached} succeeded`)
  server.run('systemctl enable -q berth-firewall berth; sync')
}

/** What is said of a full disk and a clock that is wrong at boot, and that it recovers. */
function disk(server: DebianMachine): void {
  console.log('\nA full disk and a wrong clock at boot')
  const host = prepareProbe(server)
  server.run('fallocate -l $(( $(df --output=avail -B1 / | tail -n 1) - 4096 )) /full; sync')
  server.reboot()
  server.run('sleep 60')
  console.log(
    `      ${server.attempt('journalctl -u berth -n 6 -o cat --no-pager | cut -c1-300').replaceAll('\n', '\n      ')}`,
  )
  server.run('rm /full; sync')
  show(
    'a full disk',
    ask(server, 'answers', `${host} says`).seconds > 0 && Boolean(ask(server, 'ready')),
    'recovers without a restart once there is room',
  )
  server.run('systemctl stop systemd-timesyncd 2>/dev/null; date -s "1 hour ago" >/dev/null; systemctl restart berth')
  const ready = ask(server, 'ready')
  console.log(`      clock: ${JSON.stringify(ready.parts?.clock ?? ready.degraded ?? null)}`)
  show('a clock one hour back', ask(server, 'answers', `${host} says`).seconds > 0, 'the app answers')
}

/** A part that cannot go on leaves the others theirs. */
async function runPart(name: string): Promise<void> {
  try {
    await PARTS[name]?.(server)
  } catch (error) {
    show(name, false, (error as Error).message)
  }
}

const names = values.only.split(',')
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
const server = new DebianMachine()
try {
  provide(server)
  for (const name of names) await runPart(name)
} finally {
  server.down()
}
console.log(failures === 0 ? '\nAll of it holds.' : `\n${failures} do not hold.`)
process.exitCode = failures === 0 ? 0 : 1
