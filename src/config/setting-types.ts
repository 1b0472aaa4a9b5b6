import { isIP } from 'node:net'
import { z } from 'zod'

/** One sentence for every way to break it, so that it always names the whole range. */
export function whole(fallback: number, min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(rule).int(rule).min(min, rule).max(max, rule).default(fallback)
}

export const port = (fallback: number) => whole(fallback, 0, 65_535)
export const seconds = (fallback: number, max = 86_400) => whole(fallback, 1, max)
export const count = (fallback: number, max: number) => whole(fallback, 1, max)

export const switchable = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true')

export const oneOrMore = <const T extends [string, ...string[]]>(values: T) =>
  z
    .string()
    .default(values.join(','))
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(values, `must be one or more of ${values.join(', ')}, separated by commas`)))

/** Parts separated by commas, of which there may be none. */
const listOf = (isPart: (part: string) => boolean, rule: string) =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .refine((parts) => parts.every(isPart), rule)

export const networks = () =>
  listOf(isNetwork, 'must be addresses or CIDR ranges, separated by commas, such as 127.0.0.1,10.0.0.0/8')

const HOST_AND_PORT = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i

export const registries = () =>
  listOf(
    (part) => isNetwork(part) || HOST_AND_PORT.test(part),
    'must be hosts with or without a port, addresses or CIDR ranges, separated by commas, such as registry.internal:5000,10.0.0.0/8',
  )

export const hostNames = () =>
  listOf(
    (part) => HOST_AND_PORT.test(part),
    'must be hosts with or without a port, separated by commas, such as docker.io,registry.internal:5000',
  )

export const tcpPorts = () =>
  listOf(
    (part) => /^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535,
    'must be ports from 1 to 65535, separated by commas, such as 80,443',
  ).transform((parts) => parts.map(Number))

const MAX_PORTS = 10_000
const RANGES_RULE = `must be off, or ports and ranges of them from 1 to 65535, separated by commas, such as 20000-20999; at most ${MAX_PORTS} ports`

/** Ports in ascending order; none where it is `off`. */
export const portRanges = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) => (text.trim().toLowerCase() === 'off' ? [] : text.split(',').map(portsOf)))
    .refine((ranges) => ranges.every((ports) => ports !== null), RANGES_RULE)
    .transform((ranges) => [...new Set(ranges.flatMap((ports) => ports ?? []))].sort((one, other) => one - other))
    .refine((ports) => ports.length <= MAX_PORTS, RANGES_RULE)

/** Null unless it is a port, or the first and the last of a range. */
function portsOf(text: string): number[] | null {
  const [, from = '', to = from] = /^\s*([1-9]\d{0,4})(?:\s*-\s*([1-9]\d{0,4}))?\s*$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  if (from === '' || last > 65_535 || first > last) return null
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/

export const domain = () => z.string().regex(DOMAIN, 'must be a lower-case domain name, such as apps.example.com')

export const hostOrAddress = () =>
  z
    .string()
    .refine(
      (text) => isIP(text) !== 0 || DOMAIN.test(text),
      'must be a lower-case host name or an address, such as db.example.com',
    )

export const domains = () =>
  listOf(
    (part) => DOMAIN.test(part),
    'must be lower-case domain names, separated by commas, such as 127.0.0.1.sslip.io,apps.example.net',
  )

export const dnsServers = () =>
  listOf(
    (part) => isIP(part) !== 0 || /^(\d+(\.\d+){3}|\[[0-9a-f:]+\]):\d{1,5}$/i.test(part),
    'must be addresses with or without a port, separated by commas, such as 127.0.0.1:5353,9.9.9.9',
  )

function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2)
  const family = isIP(address)
  return (
    family !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32)))
  )
}
