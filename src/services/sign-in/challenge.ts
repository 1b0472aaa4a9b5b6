import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'

/** The question to a browser, and the data to check its answer. Answers work once. */
export interface Challenges {
  /** The password was right; a code is missing. */
  SECOND_FACTOR: { method: 'PASSWORD' }
  /** A device was asked for a new passkey, or to prove that it has one. */
  PASSKEY_NEW: Record<string, never>
  PASSKEY_SIGN_IN: Record<string, never>
  /** The company's provider was asked. */
  COMPANY: { next: string }
  /** A link to set a password, and the token of the admin who made it; none for one by mail. */
  PASSWORD_RESET: { maker?: string }
}

export type Purpose = keyof Challenges

export interface Challenge<For extends Purpose> {
  userId: string | null
  data: Challenges[For]
}

const SECRET_BYTES = 24

/** Keeps a challenge, and answers the secret by which it is found again. Only the hash of that is stored. */
export async function makeChallenge<For extends Purpose>(
  tx: Pick<Transaction, '$executeRaw'>,
  purpose: For,
  { userId, data }: Challenge<For>,
  minutes: number,
): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await keepChallenge(tx, purpose, { userId, data }, { secret, minutes })
  return secret
}

/** The same, with a secret that is there already. */
export async function keepChallenge<For extends Purpose>(
  tx: Pick<Transaction, '$executeRaw'>,
  purpose: For,
  { userId, data }: Challenge<For>,
  { secret, minutes }: { secret: string; minutes: number },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO sign_in_challenge (hash, purpose, user_id, data, expires_at)
    VALUES (${hashOfSecret(secret)}, ${purpose}, ${userId}, ${JSON.stringify(data)}::jsonb,
      now() + make_interval(mins => ${minutes}::int))`
}

/** Takes the challenge of a secret, so that it cannot be answered again; null when it is unknown, used or too old. */
export async function takeChallenge<For extends Purpose>(
  tx: Pick<Transaction, '$queryRaw'>,
  purpose: For,
  secret: string,
): Promise<Challenge<For> | null> {
  const [taken] = await tx.$queryRaw<(Challenge<For> & { isOpen: boolean })[]>`
    DELETE FROM sign_in_challenge WHERE hash = ${hashOfSecret(secret)} AND purpose = ${purpose}
    RETURNING user_id AS "userId", data, expires_at > now() AS "isOpen"`
  return taken?.isOpen ? taken : null
}

/** The same, and it stays: for something that may be tried a few times. */
export async function findChallenge<For extends Purpose>(
  database: Database,
  purpose: For,
  secret: string,
): Promise<Challenge<For> | null> {
  const [found] = await database.$queryRaw<Challenge<For>[]>`
    SELECT user_id AS "userId", data FROM sign_in_challenge
    WHERE hash = ${hashOfSecret(secret)} AND purpose = ${purpose} AND expires_at > now()`
  return found ?? null
}
