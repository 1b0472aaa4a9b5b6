import { Refusal } from '../refusal.ts'

/** What the units of systemd say of one installation. */
export interface Installation {
  /** Of the units: `<name>.service` and `<name>-firewall.service`. */
  name: string
  /** The folder of the clone. */
  root: string
  dataDir: string
  /** Whose processes they are. */
  user: string
  /** The Node.js that the machine has: it sets up the one that runs Berth, if that is missing. */
  node: string
  /** Settings, one `NAME=value` a line. */
  settingsFile: string
  /** Where the engine must not start without the rules. */
  isFirewallRequired: boolean
}

/** Longer than a set-up from nothing takes on a slow machine. */
const START_MINUTES = 20
/** The supervisor ends everything after 10 seconds. */
const STOP_SECONDS = 30

const HEAD = '# Written by `npm run service -- install`; edit the settings file, or run that again.'

/** As systemd reads it: `%` begins a specifier. */
const quotedValue = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`

/** A word of a command, where `$` begins a variable as well. */
const word = (text: string): string => quotedValue(text.replaceAll('$', () => '$$'))

/** A path that is all of a line takes no quotes. */
const path = (text: string): string => text.replaceAll('%', '%%')

export const firewallUnitOf = (name: string): string => `${name}-firewall.service`
export const unitOf = (name: string): string => `${name}.service`

/**
 * Starts at boot, once the engine does, and again whenever it ends. `notify`: it is started when Berth is ready. Only the
 * supervisor is asked to end, because it ends the others in their order.
 */
export function berthUnit({ name, root, user, node, settingsFile }: Installation): string {
  const program = [node, `${root}/scripts/berth.mjs`].map(word).join(' ')
  return `${HEAD}
[Unit]
Description=Berth, from ${path(root)}
Wants=network-online.target docker.service
After=network-online.target docker.service ${firewallUnitOf(name)}
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
User=${user}
WorkingDirectory=${path(root)}
Environment=${quotedValue(`PATH=${folderOf(node)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`)}
EnvironmentFile=-${path(settingsFile)}
ExecStart=${program} start
Restart=always
RestartSec=2
TimeoutStartSec=${START_MINUTES}min
TimeoutStopSec=${STOP_SECONDS}
KillMode=mixed
# Of a machine without memory, apps and builds go before what starts them again.
OOMPolicy=continue
OOMScoreAdjust=-500
LimitNOFILE=1048576
TasksMax=infinity
UMask=0077

[Install]
WantedBy=multi-user.target
`
}

/** Lays the last known rules before the engine starts any container. What other firewalls load at boot comes first. */
export function firewallUnit({ name, root, dataDir, isFirewallRequired }: Installation): string {
  const program = [`${root}/node_modules/.bin/node`, `${root}/scripts/lay-firewall.ts`, dataDir].map(word).join(' ')
  return `${HEAD}
[Unit]
Description=Firewall rules of Berth in ${path(root)}, before the engine starts containers
After=nftables.service netfilter-persistent.service ufw.service firewalld.service
Before=docker.service ${unitOf(name)}

[Service]
Type=oneshot
RemainAfterExit=yes
WorkingDirectory=${path(root)}
ExecStart=${program}
TimeoutStartSec=60

[Install]
WantedBy=multi-user.target
${isFirewallRequired ? 'RequiredBy' : 'WantedBy'}=docker.service
`
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

/** Names of settings and of what Node.js and the engine's client read, as an EnvironmentFile takes them. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(name, value)}`)
  const usual = lines.length > 0 ? lines : ['#BERTH_DOMAIN=apps.example.com', '#HOST=0.0.0.0']
  return `${['# Settings of Berth, one a line: docs/configuration.md. They apply after: npm run service -- restart', ...usual].join('\n')}\n`
}

const PLAIN = /^[\w@%+=:,./-]+$/

/** As systemd and Node.js both read it back. */
function quoted(name: string, value: string): string {
  if (PLAIN.test(value)) return value
  if (/[\n\r]/.test(value))
    throw new Refusal(`${name} has more than one line: put it into a file, and set ${name}_FILE`)
  if (!value.includes("'")) return `'${value}'`
  if (!/["\\$`]/.test(value)) return `"${value}"`
  throw new Refusal(`${name} has both kinds of quotes: put it into a file, and set ${name}_FILE`)
}
