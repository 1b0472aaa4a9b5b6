import { createContext, useContext, useEffect } from 'react'
import type { AccountName } from './session.tsx'

export const ShownAccountContext = createContext<(account: AccountName) => void>(() => {})

/** For a screen whose address names no account: says which one it is about, once it is known. */
export function useShowAccount(account: AccountName | null): void {
  const show = useContext(ShownAccountContext)
  const { id, name, slug } = account ?? {}
  useEffect(() => {
    if (id && name && slug) show({ id, name, slug })
  }, [show, id, name, slug])
}
