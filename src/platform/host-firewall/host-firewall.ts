import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { writeDurably } from '../../storage/files/durable-files.ts'
import { chainsOf, type FirewallOptions, firewallRules } from './firewall-rules.ts'

const TIMEOUT_MS = 10_000

const REMEMBERED = z.object({ installationId: z.string(), ports: z.array(z.int().min(1).max(65_535)) })
type Remembered = z.infer<typeof REMEMBERED>

/** Where the engine lets others add rules, before its own, and the chain that everything passes with any engine. */
const ENGINE_CHAIN = 'DOCKER-USER'
const THROUGH = [ENGINE_CHAIN, 'FORWARD']

/** In the data directory: what was installed last, for the next boot. */
const LAST_FILE = 'host-firewall.json'

/**
 * Keeps an installation's containers away from this machine's own services and from metadata. May be repeated; touches
 * only the installation's own chains and the jumps to them. Throws where that cannot be done.
 */
export async function installFirewall(options: Omit<FirewallOptions, 'nameServers'>): Promise<void> {
  const { toHost, through, interface: from } = chainsOf(options.installationId)
  await run('iptables-restore', ['-w', '--noflush'], firewallRules({ ...options, nameServers: await nameServers() }))
  await ensureJump('INPUT', ['-i', from, '-j', toHost])
  for (const chain of THROUGH)
    if (await succeeds('iptables', ['-w', '-n', '-L', chain])) await ensureJump(chain, ['-i', from, '-j', through])
}

/** Keeps them for the next boot. */
export function rememberFirewall(dataDir: string, { installationId, ports }: Remembered): void {
  const file = join(dataDir, LAST_FILE)
  const text = `${JSON.stringify({ installationId, ports })}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  writeDurably(file, text)
}

/**
 * Installs what was installed last, before the engine has started: it adds its own rules to its chain when that is there
 * already. Null where nothing was installed yet.
 */
export async function installLastFirewall(dataDir: string): Promise<Remembered | null> {
  const file = join(dataDir, LAST_FILE)
  if (!existsSync(file)) return null
  const remembered = REMEMBERED.parse(JSON.parse(readFileSync(file, 'utf8')))
  await succeeds('iptables', ['-w', '-N', ENGINE_CHAIN])
  await installFirewall(remembered)
  return remembered
}

/**
 * Whether containers are kept away from this machine: by rules of Berth's own, or by those that docs/operating.md gives to
 * install by hand. Throws where the rules cannot be read.
 */
export async function isFirewallInstalled(): Promise<boolean> {
  const rules = (await run('iptables', ['-w', '-S'])).split('\n')
  const chains = rules.flatMap((rule) => JUMP_TO_HOST_CHAIN.exec(rule)?.[1] ?? [])
  return chains.some((chain) => rules.some((rule) => rule.startsWith(`-A ${chain} `) && rule.includes('-j REJECT')))
}

/** Why this process can neither see nor install the rules; null when it can. */
export function whyNoFirewall({ DOCKER_HOST: host }: Pick<Config, 'DOCKER_HOST'>, program: string): string | null {
  if (process.platform !== 'linux') return 'this machine is no Linux, and the engine runs in a virtual machine'
  if (host && !host.startsWith('unix:')) return 'the engine is on another machine'
  if (process.getuid?.() !== 0) return `${program} does not run as root`
  return null
}

const JUMP_TO_HOST_CHAIN = /^-A INPUT -i bt\S*\+ -j (BERTH-\S*HOST)$/

/** Removes the chains and the jumps to them. There being none is fine. */
export async function removeFirewall(installationId: string): Promise<void> {
  const { toHost, through, interface: from } = chainsOf(installationId)
  for (const chain of ['INPUT', ...THROUGH]) {
    const target = chain === 'INPUT' ? toHost : through
    await succeeds('iptables', ['-w', '-D', chain, '-i', from, '-j', target])
  }
  for (const chain of [toHost, through]) {
    await succeeds('iptables', ['-w', '-F', chain])
    await succeeds('iptables', ['-w', '-X', chain])
  }
}

async function ensureJump(chain: string, rule: readonly string[]): Promise<void> {
  if (await succeeds('iptables', ['-w', '-C', chain, ...rule])) return
  await run('iptables', ['-w', '-I', chain, '1', ...rule])
}

async function nameServers(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const named = text.split('\n').map((line) => line.trim().split(/[ \t]+/))
  return named.flatMap(([key, address = '']) => (key === 'nameserver' && isIPv4(address) ? [address] : []))
}

const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  )

/** What the program writes. */
function run(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { timeout: TIMEOUT_MS }, (error, output, words) =>
      error ? reject(new Error(`${program}: ${words.trim() || error.message}`)) : resolve(output),
    )
    child.stdin?.on('error', () => {}).end(input)
  })
}
