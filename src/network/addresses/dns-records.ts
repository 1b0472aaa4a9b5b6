import { Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 3_000
const TRIES = 2

const ABSENT = new Set(['ENOTFOUND', 'ENODATA'])

/** Whether an error proves that there is no such record; any other failure proves nothing. */
export const isAbsent = (error: unknown): boolean => ABSENT.has((error as NodeJS.ErrnoException).code ?? '')

/** What proves a host: see HostProof in src/storage/secrets. */
interface Proof {
  cname: string
  txtName: string
  txtValue: string
}

/** Result of a DNS check of a host; null when DNS did not answer. */
export type Finding = { isProved: true } | { isProved: false; reason: string } | null

export function createDnsRecords(servers: readonly string[]) {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers([...servers])
  const ask = async <T>(query: () => Promise<T[]>): Promise<T[] | null> => {
    try {
      return await query()
    } catch (error) {
      return isAbsent(error) ? [] : null
    }
  }
  return {
    /** Either record is enough: a CNAME to the environment's own host, or the account's TXT record. */
    async prove(host: string, { cname, txtName, txtValue }: Proof): Promise<Finding> {
      const [aliases, texts] = await Promise.all([
        ask(() => resolver.resolveCname(host)),
        ask(() => resolver.resolveTxt(txtName)),
      ])
      if (aliases?.some((alias) => alias.toLowerCase().replace(/\.$/, '') === cname)) return { isProved: true }
      if (texts?.some((chunks) => chunks.join('') === txtValue)) return { isProved: true }
      if (aliases === null || texts === null) return null
      return {
        isProved: false,
        reason: `Neither a CNAME record to ${cname} nor the TXT record at ${txtName} was found`,
      }
    },
  }
}

export type DnsRecords = ReturnType<typeof createDnsRecords>
