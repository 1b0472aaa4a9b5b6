import { createContext, type ReactNode, useContext } from 'react'
import { type Permission, type RoleName, rolesAllow, rolesFor } from '../../../src/domain/permissions.ts'
import type { ResultOf } from '../graphql/graphql.ts'
import type { Session } from './documents.ts'

export type Me = NonNullable<ResultOf<typeof Session>['me']>

export interface AccountName {
  id: string
  name: string
  slug: string
}

interface Present {
  me: Me
  /** That the page is about. */
  account: AccountName | null
}

const SessionContext = createContext<Present | null>(null)

export function SessionProvider({ children, ...present }: Present & { children: ReactNode }) {
  return <SessionContext value={present}>{children}</SessionContext>
}

export function useSession(): Present {
  const present = useContext(SessionContext)
  if (!present) throw new Error('This component is outside of the SessionProvider')
  return present
}

/** The account that the screen is about. */
export function useAccount(): AccountName {
  const { account } = useSession()
  if (!account) throw new Error('This screen is about no account')
  return account
}

/** Null where the person may; else what is missing, to be said beside what is disabled. The API decides in the end. */
export function useMissing(permission: Permission): string | null {
  const { me, account } = useSession()
  if (me.isInstallationAdmin) return null
  const roles = me.memberships.find((membership) => membership.account.id === account?.id)?.roles ?? []
  return rolesAllow(permission, roles as RoleName[]) ? null : `Needs the role ${rolesFor(permission)}`
}
