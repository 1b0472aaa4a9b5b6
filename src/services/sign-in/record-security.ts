import type { Caller } from '../../calls/caller.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { SignInFrom } from '../session/begin-session.ts'

export type SecurityAction =
  | 'addCodeGenerator'
  | 'removeCodeGenerator'
  | 'useRecoveryCode'
  | 'addPasskey'
  | 'removePasskey'
  | 'signInFailed'
  | 'changePassword'
  | 'requestPasswordReset'
  | 'resetPassword'

interface SecurityEvent {
  action: SecurityAction
  /** Whose sign-in it is about; null for an account that there is not. */
  userId: string | null
  /** The caller; null where none was authenticated. */
  caller: Pick<Caller, 'userId' | 'tokenId'> | null
  /** Never a password, a code or a secret. */
  details?: Record<string, unknown>
}

/** What becomes of people's sign-in is in the audit log of the installation. */
export async function recordSecurity(
  tx: Transaction,
  vault: Vault,
  { action, userId, caller, details = {} }: SecurityEvent,
  { requestId, address }: Pick<SignInFrom, 'requestId' | 'address'>,
): Promise<void> {
  const actor = caller?.userId
    ? { actorType: 'USER' as const, actorId: caller.userId, tokenId: caller.tokenId }
    : { actorType: 'SYSTEM' as const, actorId: null, tokenId: null }
  const entry = { action, ...actor, targetType: 'user', targetId: userId ?? 'unknown', requestId }
  await record(tx, INSTALLATION_EVENTS, [], { entry: { ...entry, details: { ...details, address } }, heads: vault })
}
