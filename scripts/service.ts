// npm run service -- install [--name berth] [--user <user>]   writes and starts a systemd unit for this clone
// npm run service -- remove | status | restart                 of that unit; `remove` keeps apps and data
// npm run service -- upgrade | rollback [--yes]                to the newest commit of the branch, and back
// npm run service -- print                                     the units, to adapt where there is no systemd
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config/config.ts'
import { SECRET } from '../src/config/secret-files.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { askProcesses, listProcesses } from '../src/platform/process-registry/list-processes.ts'
import { readProcessInfo } from '../src/platform/process-registry/process-info.ts'
import { openRegistryDirectory } from '../src/platform/process-registry/registry-directory.ts'
import { makeFolder, writeDurably } from '../src/storage/files/durable-files.ts'
import { Refusal } from './refusal.ts'
import { askUnit, hasSystemd, journalOf, startUnit, systemctl } from './service/systemd.ts'
import { berthUnit, firewallUnit, firewallUnitOf, type Installation, settingsText, unitOf } from './service/units.ts'
import { goBack, upgrade } from './service/upgrade.ts'
import { rootOfUnit, settingsIn, unitFile } from './setup/service-settings.mjs'

const ROOT = join(import.meta.dirname, '..')
const SETTINGS_FOLDER = '/etc/berth'
/** What the engine's client and Node.js read besides settings. */
const OTHERS = [
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'HTTPS_PROXY',
  'NO_PROXY',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string', default: 'berth' },
    user: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
})

const COMMANDS: Record<string, () => Promise<void> | void> = {
  install,
  remove,
  status,
  restart,
  print,
  // Of a new version, before it is started.
  check: () => void installation(),
  upgrade: () => upgrade(managedByRoot()),
  rollback: () => goBack(managedByRoot(), { isConfirmed: values.yes }),
}

async function install(): Promise<void> {
  const here = installation()
  const unit = unitOf(here.name)
  mayChangeUnits()
  const other = rootOfUnit(unit)
  if (other && other !== here.root)
    throw new Refusal(`${unit} runs the clone in ${other}; give this one another name: --name berth-2`)
  // A mistake is named here, not in the journal.
  readConfig({ ...process.env, ...settingsIn(here.settingsFile) })
  await assertNotRunning(here, unit)
  writeSettings(here)
  const hasFirewall = here.user === 'root'
  writeDurably(unitFile(unit), berthUnit(here), 0o644)
  if (hasFirewall) writeDurably(unitFile(firewallUnitOf(here.name)), firewallUnit(here), 0o644)
  systemctl('daemon-reload')
  systemctl('enable', '--quiet', ...(hasFirewall ? [firewallUnitOf(here.name)] : []), unit)
  // systemd does not: a power cut would lose that they start at boot.
  spawnSync('sync', ['-f', dirname(unitFile(unit))])
  console.log(`Starting ${unit} as ${here.user}, which a first start sets up …`)
  await startUnit('restart', unit)
  const { apiUrl, ingressUrl } = await addressesOf(here)
  const inClone = `cd ${here.root} && npm run`
  console.log(
    [
      `${unit} runs, and starts at every boot.`,
      ...(apiUrl ? [`  API       ${apiUrl}/api/public/v1`, `  sign in   ${apiUrl}/sign-in`] : []),
      ...(ingressUrl ? [`  apps      ${ingressUrl}`] : []),
      `  token     cat ${join(here.dataDir, 'admin-token')}`,
      `  log       journalctl -u ${here.name} -f`,
      `  settings  ${here.settingsFile}; after a change: ${inClone} service -- restart`,
      'Next:',
      `  ${inClone} doctor              # whether all is well`,
      `  ${inClone} demo                # deploys a sample app, and prints its URL`,
      `  ${inClone} service -- upgrade  # later, to the newest version`,
      hasFirewall
        ? `${firewallUnitOf(here.name)} lays the firewall rules before the engine starts containers.`
        : `${here.user} may lay no firewall rules: docs/operating.md, "Host firewall", says how to lay them by hand.`,
    ].join('\n'),
  )
}

/** As its processes say, once it is ready. */
async function addressesOf({ dataDir }: Installation): Promise<{ apiUrl?: string; ingressUrl?: string }> {
  if (!existsSync(join(dataDir, 'processes'))) return {}
  const { living } = await askProcesses(openRegistryDirectory(dataDir))
  const found = (name: 'apiUrl' | 'ingressUrl') => living.find((process) => process[name] !== null)?.[name] ?? undefined
  return { apiUrl: found('apiUrl'), ingressUrl: found('ingressUrl') }
}

function remove(): void {
  mayChangeUnits()
  const { name, settingsFile } = managed()
  for (const unit of [unitOf(name), firewallUnitOf(name)]) {
    if (!existsSync(unitFile(unit))) continue
    systemctl('disable', '--quiet', '--now', unit)
    rmSync(unitFile(unit))
  }
  systemctl('daemon-reload')
  console.log(
    `Removed the units of ${name}. Apps keep running, and nothing starts Berth at boot. Kept: ${settingsFile}`,
  )
}

function status(): void {
  const { name } = managed()
  const unit = unitOf(name)
  const about = askUnit(unit, [
    'ActiveState',
    'SubState',
    'UnitFileState',
    'NRestarts',
    'ActiveEnterTimestamp',
    'MemoryCurrent',
  ])
  const firewall = askUnit(firewallUnitOf(name), ['ActiveState', 'UnitFileState'])
  const memoryMb = Math.round(Number(about.MemoryCurrent) / 1024 / 1024)
  console.log(
    [
      `${unit}: ${about.ActiveState} (${about.SubState}) since ${about.ActiveEnterTimestamp || 'never'}`,
      `  at boot   ${about.UnitFileState}`,
      `  restarts  ${about.NRestarts}`,
      ...(Number.isFinite(memoryMb) ? [`  memory    ${memoryMb} MB`] : []),
      `  firewall  ${firewall.UnitFileState ? `${firewall.ActiveState}, ${firewall.UnitFileState} at boot` : 'no unit'}`,
      '',
      journalOf(unit, 10),
    ].join('\n'),
  )
  if (about.ActiveState !== 'active') process.exitCode = 1
}

async function restart(): Promise<void> {
  mayChangeUnits()
  const { name, settingsFile } = managed()
  readConfig({ ...process.env, ...settingsIn(settingsFile) })
  await startUnit('restart', unitOf(name))
  console.log(`${unitOf(name)} is ready. Apps have kept running.`)
}

function print(): void {
  const here = installation()
  console.log(`# ${unitFile(unitOf(here.name))}\n${berthUnit(here)}`)
  console.log(`# ${unitFile(firewallUnitOf(here.name))}\n${firewallUnit(here)}`)
  console.log(`# ${here.settingsFile}, mode 0600\n${settingsText(givenSettings())}`)
}

/** As this command was called: its user, its settings. */
function installation(): Installation {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(values.name))
    throw new Refusal(`--name: "${values.name}" must have small letters, digits and dashes, and begin with a letter`)
  const settingsFile = join(SETTINGS_FOLDER, `${values.name}.env`)
  const config = readConfig({ ...process.env, ...settingsIn(settingsFile) })
  const dataDir = resolve(ROOT, config.BERTH_DATA_DIR)
  return {
    name: values.name,
    root: ROOT,
    dataDir,
    user: values.user ?? ownerOf(existsSync(dataDir) ? dataDir : ROOT),
    node: machineNode(),
    settingsFile,
    isFirewallRequired: config.BERTH_HOST_FIREWALL === 'required',
  }
}

/** Not the one of the clone where there is another: an upgrade may replace that. */
function machineNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const all = [process.env.npm_node_execpath ?? '', ...folders.map((folder) => join(folder, 'node'))]
  return all.find((file) => isAbsolute(file) && !file.startsWith(ROOT) && existsSync(file)) ?? process.execPath
}

/** The installation whose unit there is. */
function managed(): Installation {
  if (!hasSystemd()) throw new Refusal(WITHOUT_SYSTEMD)
  const here = installation()
  const root = rootOfUnit(unitOf(here.name))
  if (root === here.root) return here
  const why = root ? `it runs the clone in ${root}` : 'there is no such unit'
  throw new Refusal(`${unitOf(here.name)} is not this clone’s: ${why}. To have one: npm run service -- install`)
}

function managedByRoot(): Installation {
  mayChangeUnits()
  return managed()
}

const WITHOUT_SYSTEMD =
  'This machine does not run systemd. `npm run service -- print` shows what its units would be: start `npm start` in this folder at boot, after the container engine, restart it when it ends, and send it SIGTERM to stop it.'

function mayChangeUnits(): void {
  if (!hasSystemd()) throw new Refusal(WITHOUT_SYSTEMD)
  if (process.getuid?.() === 0) return
  throw new Refusal('Units of the system are root’s. Run: sudo env "PATH=$PATH" npm run service -- install')
}

function ownerOf(folder: string): string {
  const { stdout } = spawnSync('id', ['-nu', `${statSync(folder).uid}`], { encoding: 'utf8' })
  return stdout.trim() || userInfo().username
}

/** Two of them would want the same ports. */
async function assertNotRunning({ dataDir }: Installation, unit: string): Promise<void> {
  if (!existsSync(dataDir) || askUnit(unit, ['ActiveState']).ActiveState === 'active') return
  const [other] = (await listProcesses(openRegistryDirectory(dataDir), '')).living
  if (!other) return
  throw new Refusal(
    `Berth is running: ${readProcessInfo(other)}\nStop it first (Ctrl-C where it runs, or kill ${other.pid}), then install the service. Apps keep running.`,
  )
}

/** Settings of this command's environment, but for what the file has already: that stays as the operator wrote it. */
function writeSettings({ settingsFile }: Installation): void {
  if (!existsSync(settingsFile)) {
    makeFolder(dirname(settingsFile))
    writeDurably(settingsFile, settingsText(givenSettings()))
    return
  }
  const kept = settingsIn(settingsFile)
  const other = Object.entries(givenSettings()).filter(([name, value]) => kept[name] !== value)
  if (other.length > 0)
    console.log(
      `${settingsFile} is kept as it is, and differs from this shell in ${other.map(([name]) => name).join(', ')}: edit it, then npm run service -- restart.`,
    )
}

function givenSettings(): Record<string, string> {
  const names = [...Object.keys(SETTINGS.shape), ...[...SECRET].map((name) => `${name}_FILE`), ...OTHERS]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

try {
  const [name = 'status'] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command)
    throw new Refusal(`There is no service command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}.`)
  await command()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (process.env.BERTH_LOG_LEVEL === 'debug') console.error(error)
  process.exitCode = 1
}
