import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import { networkOf } from '../../domain/trusted-proxies.ts'
import type { Database } from '../../storage/database/client.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import { addToCount, type RateCount, resetCount } from '../system/rate-counts.ts'

const WINDOW_SECONDS = 900
/** Several people may share an address. */
const ACCOUNTS_PER_ADDRESS = 3

interface Attempt {
  /** Of the client, as far as trusted proxies say. */
  address: string
  /** As it was typed, whether there is such an account or not. */
  name: string | null
}

/**
 * Counts an attempt to sign in before anything is looked up: all processes together, and unknown names like known ones.
 * Throws RATE_LIMITED.
 */
export async function countAttempt(
  database: Database,
  { BERTH_SIGN_IN_TRIES: tries }: Config,
  { address, name }: Attempt,
): Promise<void> {
  const byAddress = await count(database, addressKey(address))
  if (byAddress.total > tries * ACCOUNTS_PER_ADDRESS) throw tooOften('Your address', byAddress)
  if (name === null) return
  const byName = await count(database, nameKey(name))
  if (byName.total > tries) throw tooOften('This account', byName)
}

/** After a successful sign-in the user has all attempts again. */
export const resetAttempts = (database: Pick<Database, '$executeRaw'>, name: string): Promise<void> =>
  resetCount(database, nameKey(name))

const count = (database: Database, key: string) => addToCount(database, key, 1, WINDOW_SECONDS)

// Hashed: people type passwords where their name belongs.
const nameKey = (name: string) => hashOfSecret(`sign-in name ${name.toLowerCase()}`)
const addressKey = (address: string) => hashOfSecret(`sign-in address ${networkOf(address)}`)

function tooOften(what: string, { secondsLeft }: RateCount): DomainError {
  const seconds = Math.max(1, Math.ceil(secondsLeft))
  const words = `${what} was tried too often; try again in ${seconds} s`
  return new DomainError('RATE_LIMITED', 'TOO_MANY_SIGN_INS', words, { retryAfterSeconds: seconds })
}
