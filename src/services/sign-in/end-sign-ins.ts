import type { Transaction } from '../../storage/database/client.ts'
import { endSessions } from '../session/begin-session.ts'

/** Ends a user's sessions but one, and the sign-ins that they have begun. Returns how many sessions. */
export async function endSignIns(tx: Transaction, userId: string, except: string | null): Promise<number> {
  await tx.$executeRaw`DELETE FROM sign_in_challenge WHERE user_id = ${userId}`
  return endSessions(tx, { userId, ...(except ? { except } : {}) })
}
