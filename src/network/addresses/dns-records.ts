import { Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 3_000
const TRIES = 2
/** Of all records of a host together, when a caller waits for them. */
const DEADLINE_MS = 6_000
/** Of one kind, and of one text: a zone holds whatever its owner writes. */
const MAX_ANSWERS = 20
const MAX_TEXT = 255

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

/** What DNS answers for a name now: each kind null where DNS did not answer. */
export interface DnsAnswers {
  cname: readonly string[] | null
  a: readonly string[] | null
  aaaa: readonly string[] | null
}

const shortened = (answers: readonly string[] | null): string[] | null =>
  answers?.slice(0, MAX_ANSWERS).map((answer) => answer.slice(0, MAX_TEXT)) ?? null

const withoutRoot = (name: string): string => name.toLowerCase().replace(/\.$/, '')

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
    /** The alias and the addresses of a name. */
    async answersOf(host: string): Promise<DnsAnswers> {
      const [cname, a, aaaa] = await Promise.all([
        ask(() => resolver.resolveCname(host)),
        ask(() => resolver.resolve4(host)),
        ask(() => resolver.resolve6(host)),
      ])
      return { cname: shortened(cname?.map(withoutRoot) ?? null), a: shortened(a), aaaa: shortened(aaaa) }
    },

    /** Ends all questions that are open: they are unanswered. */
    giveUp: () => resolver.cancel(),

    async textsOf(name: string): Promise<readonly string[] | null> {
      const texts = await ask(() => resolver.resolveTxt(name))
      return shortened(texts?.map((chunks) => chunks.join('')) ?? null)
    },

    /** Either record is enough: a CNAME to the environment's own host, or the account's TXT record. */
    async prove(host: string, { cname, txtName, txtValue }: Proof): Promise<Finding> {
      const [aliases, texts] = await Promise.all([
        ask(() => resolver.resolveCname(host)),
        ask(() => resolver.resolveTxt(txtName)),
      ])
      if (aliases?.some((alias) => withoutRoot(alias) === cname)) return { isProved: true }
      if (texts?.some((chunks) => chunks.join('') === txtValue)) return { isProved: true }
      if (aliases === null || texts === null) return null
      return {
        isProved: false,
        reason: `Neither a CNAME record to ${cname} nor the TXT record at ${txtName} was found`,
      }
    },
  }
}

/**
 * What `asked` finds out by a resolver of its own, which gives up at a deadline: what was not answered by then is null, as
 * for any other failure.
 */
export async function withinDeadline<Answer>(
  servers: readonly string[],
  asked: (records: DnsRecords) => Promise<Answer>,
): Promise<Answer> {
  const records = createDnsRecords(servers)
  const timer = setTimeout(records.giveUp, DEADLINE_MS)
  try {
    return await asked(records)
  } finally {
    clearTimeout(timer)
  }
}

export type DnsRecords = ReturnType<typeof createDnsRecords>
