import { BlockList, isIP } from 'node:net'
import { type ComposeProblems, isObject, textsOf } from './compose-problems.ts'

export interface ComposePorts {
  /** Of the app, which requests from outside reach; null for a service that opens none. */
  open: number | null
  /** Those that other services alone reach: on loopback, or exposed. */
  internal: number[]
  /** Ports of the host, as people write them in addresses of the app: those of `open`. */
  published: number[]
}

interface Mapping {
  place: string
  target: number
  published: number | null
  isOpen: boolean
}

/** Addresses that only the host's own networks reach, such as a VPN: nothing may become open that was not. */
const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  PRIVATE.addSubnet(net, prefix)
for (const [net, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6')

function isPrivate(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '')
  const family = isIP(plain)
  return plain === 'localhost' || (family !== 0 && PRIVATE.check(plain, family === 6 ? 'ipv6' : 'ipv4'))
}

/** `[host ip:][published:]target[/protocol]`, of which published and target may be ranges. */
const SHORT =
  /^(?:(?:(\[[0-9a-fA-F:.]{1,45}\]|[^:]{1,253}):)?(\d{0,5}(?:-\d{1,5})?):)?(\d{1,5}(?:-\d{1,5})?)(?:\/(\w{1,10}))?$/
const MAX_RANGE = 100

export function readPorts(ports: unknown, expose: unknown, place: string, problems: ComposeProblems): ComposePorts {
  const given = Array.isArray(ports) ? ports : []
  const mappings = given.flatMap((one: unknown, index) => {
    const at = `${place}.ports.${index}`
    if (one === undefined) return []
    return isObject(one) ? longMapping(one, at, problems) : shortMappings(String(one), at, problems)
  })
  const first = mappings.find(({ isOpen }) => isOpen)
  for (const other of mappings.filter((one) => one.isOpen && one.target !== first?.target))
    problems.add(
      other.place,
      `opens ${other.target}, and the app is reached at ${first?.target}: publish it at 127.0.0.1, or write it under expose, if only other services need it`,
    )
  const exposed = textsOf(expose).flatMap((one, index) => exposedPorts(one, `${place}.expose.${index}`, problems))
  const closed = mappings.filter(({ isOpen }) => !isOpen).map(({ target }) => target)
  return {
    open: first?.target ?? null,
    internal: [...new Set([...closed, ...exposed])],
    published: mappings.flatMap(({ published, target }) =>
      published !== null && target === (first ?? mappings[0])?.target ? [published] : [],
    ),
  }
}

function longMapping(
  { target, published, host_ip: address, protocol = 'tcp' }: Readonly<Record<string, unknown>>,
  place: string,
  problems: ComposeProblems,
): Mapping[] {
  const targets = portsIn(String(target))
  if (targets?.length !== 1) {
    problems.add(`${place}.target`, 'must be one port, 1 to 65535')
    return []
  }
  const isOpen = address === undefined || !isPrivate(String(address))
  if (String(protocol).toLowerCase() !== 'tcp') {
    if (isOpen) problems.add(`${place}.protocol`, onlyTcp(String(protocol)))
    return []
  }
  const hosts = published === undefined ? null : portsIn(String(published))
  return [{ place, target: Number(target), published: hosts?.[0] ?? null, isOpen }]
}

function shortMappings(text: string, place: string, problems: ComposeProblems): Mapping[] {
  const [found, address, published = '', target = '', protocol = 'tcp'] = SHORT.exec(text) ?? []
  const targets = portsIn(target)
  const hosts = published === '' ? null : portsIn(published)
  if (found === undefined || targets === null || (published !== '' && hosts === null)) {
    problems.add(place, 'must be [address:][published:]port, such as 8080:80')
    return []
  }
  const isOpen = address === undefined || !isPrivate(address)
  if (protocol.toLowerCase() !== 'tcp') {
    if (isOpen) problems.add(place, onlyTcp(protocol))
    return []
  }
  return targets.map((port, index) => ({
    place,
    target: port,
    // A range for one port: the engine would choose.
    published: hosts === null ? null : ((targets.length === 1 ? hosts[0] : hosts[index]) ?? null),
    isOpen,
  }))
}

const onlyTcp = (protocol: string) =>
  `${protocol} is not supported: only TCP is opened; write the port under expose if only other services need it`

function exposedPorts(text: string, place: string, problems: ComposeProblems): number[] {
  const [, range, protocol = 'tcp'] = /^(\d{1,5}(?:-\d{1,5})?)(?:\/(\w{1,10}))?$/.exec(text) ?? []
  const ports = range === undefined ? null : portsIn(range)
  if (ports === null) problems.add(place, 'must be a port, such as 3000 or 3000/tcp')
  return protocol.toLowerCase() === 'tcp' ? (ports ?? []) : []
}

function portsIn(range: string): number[] | null {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first === undefined || from < 1 || to > 65_535 || to < from || to - from >= MAX_RANGE) return null
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
