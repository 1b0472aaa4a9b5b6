import type { Key } from '../../secrets/keys.ts'
import type { Vault } from '../../secrets/vault.ts'

/** The two master keys of a rotation, each with its vault. */
export interface Rotation {
  from: Key
  to: Key
  old: Vault
  next: Vault
}
