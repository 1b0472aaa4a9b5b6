import { type Caller, userOf } from '../../calls/caller.ts'
import type { SignInTools } from './sign-in-by-password.ts'

const PASSKEY = { id: true, name: true, host: true, createdAt: true, lastUsedAt: true } as const

const SHOWN = {
  email: true,
  password: { select: { changedAt: true } },
  passkeys: { orderBy: { id: 'asc' }, select: PASSKEY },
  codeGenerator: { select: { confirmedAt: true } },
  _count: { select: { recoveryCodes: true, companyIdentities: true } },
} as const

/** How the caller can sign in. Never a secret. */
export async function readSignInMethods({ database }: SignInTools, caller: Caller) {
  const user = await database.user.findUniqueOrThrow({ where: { id: userOf(caller) }, select: SHOWN })
  return {
    email: user.email,
    /** Null for a user without one. */
    passwordChangedAt: user.password?.changedAt ?? null,
    passkeys: user.passkeys.map(({ id: passkeyId, ...passkey }) => ({ passkeyId, ...passkey })),
    /** Since when signing in by password asks for a code; null when it asks for none. */
    codesSince: user.codeGenerator?.confirmedAt ?? null,
    recoveryCodesLeft: user._count.recoveryCodes,
    /** Whether an account of the company's provider is theirs. */
    isConnected: user._count.companyIdentities > 0,
  }
}

/** Whether tokens are the only way to sign in: no user has a password, a passkey or a connected account yet. */
export async function isByTokenOnly({ database }: SignInTools): Promise<boolean> {
  const [found] = await database.$queryRaw<{ isMore: boolean }[]>`
    SELECT EXISTS (SELECT FROM user_password) OR EXISTS (SELECT FROM passkey)
      OR EXISTS (SELECT FROM company_identity) AS "isMore"`
  return !found?.isMore
}
