import { bridgePrefix } from '../../engines/bridge-interface.ts'

/** Link-local addresses, and metadata services at addresses that look public. IPv4 only: account networks have no IPv6. */
const METADATA = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32']

export interface FirewallOptions {
  installationId: string
  /** TCP ports of this machine that containers may reach, such as the ingress's. */
  ports: readonly number[]
  /** The name servers of this machine, which the engine asks from within a container's network. */
  nameServers: readonly string[]
}

/** One chain for what goes to this machine, one for what goes through it. Their names are this installation's. */
export const chainsOf = (installationId: string) => {
  const name = `BERTH-${installationId.slice(-5)}`
  return { toHost: `${name}-HOST`, through: `${name}-OUT`, interface: `${bridgePrefix(installationId)}+` }
}

/** For `iptables-restore --noflush`, which replaces these two chains at once and leaves all others alone. */
export function firewallRules({ installationId, ports, nameServers }: FirewallOptions): string {
  const { toHost, through } = chainsOf(installationId)
  const lookups = (chain: string) =>
    nameServers.flatMap((server) =>
      ['udp', 'tcp'].map(
        (protocol) => `-A ${chain} -d ${server}/32 -p ${protocol} -m ${protocol} --dport 53 -j RETURN`,
      ),
    )
  const answers = (chain: string) => `-A ${chain} -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN`
  return [
    '*filter',
    `:${toHost} - [0:0]`,
    `:${through} - [0:0]`,
    // Answers to the ingress and to probes, which connect from this machine.
    answers(toHost),
    ...lookups(toHost),
    ...ports.map((port) => `-A ${toHost} -p tcp -m tcp --dport ${port} -j RETURN`),
    `-A ${toHost} -j REJECT`,
    answers(through),
    ...lookups(through),
    ...METADATA.map((network) => `-A ${through} -d ${network} -j REJECT`),
    'COMMIT\n',
  ].join('\n')
}
