import { execFileSync } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { chainsOf, firewallRules } from '../../src/platform/host-firewall/firewall-rules.ts'
import { installFirewall, removeFirewall } from '../../src/platform/host-firewall/host-firewall.ts'

const options = { installationId: 'ins_00000000000000000000000zz9zz', ports: [8080, 443] }
const { toHost, through, interface: from } = chainsOf(options.installationId)

const canInstall = (() => {
  try {
    return execFileSync('iptables', ['-w', '-S', 'INPUT']).length > 0
  } catch {
    return false
  }
})()
if (!canInstall) console.warn('Skipped: firewall rules need Linux, root and iptables')

const saved = () => execFileSync('iptables', ['-w', '-S'], { encoding: 'utf8' }).split('\n')
const ours = () => saved().filter((line) => line.includes(toHost) || line.includes(through))

afterAll(async () => {
  if (canInstall) await removeFirewall(options.installationId)
})

test('name servers and the given ports stay reachable, everything else of the host is not', () => {
  const rules = firewallRules({ ...options, nameServers: ['10.0.0.2'] }).split('\n')
  const host = rules.filter((rule) => rule.startsWith(`-A ${toHost}`))
  expect(host.slice(1, -1).map((rule) => /--dport (\d+) -j RETURN$/.exec(rule)?.[1])).toEqual([
    '53',
    '53',
    '8080',
    '443',
  ])
  expect(host.at(-1)).toBe(`-A ${toHost} -j REJECT`)
  expect(rules).toContain(`-A ${through} -d 169.254.0.0/16 -j REJECT`)
})

test.skipIf(!canInstall)(
  'installing twice changes nothing, and removing leaves every other rule as it was',
  async () => {
    const others = () => saved().filter((line) => !line.includes('BERTH-'))
    const before = others()
    await installFirewall(options)
    const installed = ours()
    expect(installed).toContain(`-A INPUT -i ${from} -j ${toHost}`)
    await installFirewall(options)
    expect(ours()).toEqual(installed)
    await removeFirewall(options.installationId)
    await removeFirewall(options.installationId)
    expect(ours()).toEqual([])
    expect(others().filter((line) => !line.includes(' bt'))).toEqual(before.filter((line) => !line.includes(' bt')))
  },
)
