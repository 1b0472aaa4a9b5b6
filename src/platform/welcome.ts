import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { ingressHost, isLoopbackHost } from '../domain/listen-address.ts'
import { PART_STATES } from '../domain/part-states.ts'
import { hasProxy, publicDomains, reachHint, seenFromOutside } from '../domain/reach.ts'
import type { Platform } from './platform.ts'
import { readProcessInfo } from './process-registry/process-info.ts'
import { looksLikeServer, reachableAddresses } from './reachable-addresses.ts'

const ROOT = join(import.meta.dirname, '../..')
const PLAIN = /^[\w@%+=:,./-]+$/

/** Printed once everything is ready: the URLs, the token, the next step. */
export function welcome(config: Config, platform: Platform, seconds: number): string {
  const { ingressUrl, engine, engineProblem, otherProcesses } = platform
  const [ownAddress] = reachableAddresses()
  const apiUrl =
    platform.apiUrl && (config.BERTH_API_URL?.replace(/\/$/, '') ?? seenFromOutside(platform.apiUrl, ownAddress))
  const isWorker = config.BERTH_ROLES.includes('worker')
  const hint = ingressUrl && reachHint(config, { isServer: looksLikeServer() && isTerminal(), ownAddress })
  const lines = [`Berth is ready (${seconds.toFixed(1)} s; ${config.BERTH_ROLES.join(', ')})`, '']
  if (apiUrl) {
    if (config.BERTH_CONSOLE) lines.push(`  Console    ${apiUrl}/console`)
    lines.push(`  API        ${apiUrl}/api/public/v1`)
    lines.push(`  GraphiQL   ${apiUrl}/graphql`)
    lines.push(`  Docs       ${apiUrl}/docs`)
    lines.push(`  Sign in    ${apiUrl}/sign-in`)
  }
  if (ingressUrl) lines.push(`  Apps       ${appsUrl(config, ingressUrl)}`)
  const noEngine = engineProblem
    ? 'none that can be used'
    : `none answers at ${config.DOCKER_HOST ?? 'the local socket'}`
  if (isWorker) lines.push(`  Engine     ${engine ?? noEngine}`)
  if (apiUrl) lines.push(`  Token      ${tokenWords(platform)}`)
  // For users who meant to start a second Berth: this one shares the data directory.
  for (const other of otherProcesses) lines.push(`  Shared     data directory, with ${readProcessInfo(other)}`)
  lines.push('')
  if (hint) lines.push(hint, '')
  if (isTerminal() && hasServices()) lines.push(SERVICE_HINT, '')
  if (isWorker && engineProblem) lines.push(`${engineProblem}.`, PART_STATES.ENGINE_UNSUPPORTED, '')
  if (isWorker && !engine) lines.push(...WITHOUT_ENGINE, '')
  if (apiUrl) lines.push('Deploy something, in another terminal:', '', ...demoCommand(config, platform), '')
  return `\n${lines.join('\n')}\n`
}

/** Shown to a person at a terminal when it is new. Whatever else reads the output may keep it as a log. */
function tokenWords({ adminToken, adminTokenFile, isAdminTokenNew }: Platform): string {
  if (!adminTokenFile) return 'the one in BERTH_ADMIN_TOKEN'
  const path = relative(ROOT, adminTokenFile)
  const command = `cat ${quoted(path.startsWith('..') ? adminTokenFile : path)}`
  if (!isAdminTokenNew || !isTerminal()) return command
  return `${adminToken}  (shown only now; afterwards: ${command})`
}

/** Whether systemd runs the services of this machine. */
const hasServices = () => existsSync('/run/systemd/system')

const SERVICE_HINT = 'Ctrl-C stops Berth. To have it run on, and start at boot: npm run service -- install'

const isTerminal = () => process.stdout.isTTY === true

/** Where environments answer: their own host, on the ingress’s port. */
function appsUrl(config: Config, ingressUrl: string): string {
  const { protocol, port } = new URL(ingressUrl)
  const isOpen = hasProxy(config) || !isLoopbackHost(ingressHost(config))
  const domain = (isOpen ? publicDomains(config)[0] : undefined) ?? config.BERTH_DOMAIN
  return `${protocol}//<account>-<app>-<env>.${domain}${port ? `:${port}` : ''}`
}

const WITHOUT_ENGINE = [
  'Berth runs without a container engine: what you ask of it is recorded, and done as soon as the engine answers.',
  'If it is to be another one, set DOCKER_HOST and start Berth again.',
]

/** The lines to paste elsewhere so that `npm run demo` finds this very Berth: only what differs from the defaults. */
function demoCommand(config: Config, { apiUrl, ingressPort }: Platform): string[] {
  const usual = readConfig({})
  const settings: Record<string, string | number> = {}
  const port = Number(new URL(apiUrl ?? '').port || 80)
  const visited = ingressPort ?? config.INGRESS_PORT
  if (port !== usual.PORT) settings.PORT = port
  if (visited !== usual.INGRESS_PORT) settings.INGRESS_PORT = visited
  if (config.HOST !== usual.HOST) settings.HOST = config.HOST
  if (config.BERTH_INGRESS_HOST) settings.BERTH_INGRESS_HOST = config.BERTH_INGRESS_HOST
  // npm runs a script in the project's folder, wherever it is called.
  const dataDir = resolve(config.BERTH_DATA_DIR)
  if (dataDir !== resolve(ROOT, usual.BERTH_DATA_DIR)) settings.BERTH_DATA_DIR = dataDir
  if (config.DOCKER_HOST) settings.DOCKER_HOST = config.DOCKER_HOST
  const words = Object.entries(settings).map(([name, value]) => `${name}=${quoted(`${value}`)}`)
  const command = `  ${[...words, 'npm run demo'].join(' ')}`
  return config.BERTH_ADMIN_TOKEN ? ['  export BERTH_ADMIN_TOKEN=…   # the token of this Berth', command] : [command]
}

/** As a POSIX shell reads it back. */
const quoted = (value: string) => (PLAIN.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`)
