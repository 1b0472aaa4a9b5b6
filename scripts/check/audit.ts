// node scripts/check/audit.ts    known vulnerabilities of what an installation has, high or worse, by npm's own list
import { spawnSync } from 'node:child_process'

const TIMEOUT_MS = 60_000
const ARGS = ['audit', '--omit=dev', '--audit-level=high', '--json']

interface Audit {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url: string })[] }>
}

const { stdout } = spawnSync('npm', ARGS, { encoding: 'utf8', timeout: TIMEOUT_MS })
const { vulnerabilities } = read(stdout)
// Some registries answer no audits, and none does without a network.
if (!vulnerabilities) console.log('Skipped: the registry answers no audits')
const found = Object.entries(vulnerabilities ?? {}).filter(([, { severity }]) =>
  ['high', 'critical'].includes(severity),
)
for (const [name, { severity, via }] of found) {
  const reasons = via.map((one) => (typeof one === 'string' ? one : `${one.title} ${one.url}`))
  console.log(`${name}: ${severity}; ${reasons.join(', ')}`)
}
if (found.length > 0) process.exitCode = 1

function read(text: string): Audit {
  try {
    return JSON.parse(text) as Audit
  } catch {
    return {}
  }
}
