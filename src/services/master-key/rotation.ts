import type { Key } from '../../storage/secrets/keys.ts'
import type { Vault } from '../../storage/secrets/vault.ts'

/** The two master keys of a rotation, each with its vault. */
export interface Rotation {
  from: Key
  to: Key
  old: Vault
  next: Vault
}
