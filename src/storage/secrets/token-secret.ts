import { hash, randomBytes } from 'node:crypto'

const PREFIXES = {
  ...({ USER: 'berth_u_', ENVIRONMENT: 'berth_e_', SCOPED: 'berth_s_', INVITATION: 'berth_i_' } as const),
  SESSION: 'berth_c_',
  /** Of OAuth: a client’s refresh tokens, and its own secret. Neither is a token of the APIs. */
  ...({ REFRESH: 'berth_r_', CLIENT: 'berth_k_' } as const),
  /** Opens one remote session, once. */
  TICKET: 'berth_t_',
} as const
const CHECKSUM_LENGTH = 6
const PATTERN = /^berth_[uesicrkt]_[0-9a-f]{48}$/

const checksum = (text: string) => hash('sha256', `berth token ${text}`, 'hex').slice(0, CHECKSUM_LENGTH)

/** A new token: a prefix that scanners recognise, 168 random bits, and a checksum that catches typing mistakes. */
export function newSecret(kind: keyof typeof PREFIXES): string {
  const body = PREFIXES[kind] + randomBytes(21).toString('hex')
  return body + checksum(body)
}

/** Only the hash is stored. Tokens are random and cannot be guessed, so a plain hash is enough. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'hex')

/** False for a token of our format with a wrong checksum: it is refused without a query. */
export function isPlausible(secret: string): boolean {
  if (!PATTERN.test(secret)) return !/^berth_[uesicrkt]_/.test(secret) && secret.length <= 200
  const body = secret.slice(0, -CHECKSUM_LENGTH)
  return checksum(body) === secret.slice(-CHECKSUM_LENGTH)
}
