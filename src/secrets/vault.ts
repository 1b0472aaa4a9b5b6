import type { SealedVariable, VariableType } from '../domain/configuration.ts'
import { newId } from '../domain/ids.ts'
import { fingerprint, type Key, keyFrom, newKey, open, seal } from './keys.ts'

const variableLocation = (id: string) => `variable/${id}/value`
const credentialLocation = (id: string) => `credential/${id}/data`
const answerLocation = (call: string) => `idempotencyRecord/${call}/response`
const dataKeyLocation = (accountId: string) => `account/${accountId}/dataKey`

/** The operations of one account's data key. Get it from the vault with the account's wrapped key. */
export interface AccountVault {
  sealVariable(variable: { name: string; value: string; type: VariableType; isSecret: boolean }): SealedVariable
  openVariable(variable: SealedVariable): string
  sealCredential(id: string, data: unknown): string
  openCredential(id: string, sealed: string): unknown
}

export interface Vault {
  masterKeyId: string
  /** A fresh data key for an account, wrapped for storage. */
  wrapNewKey(accountId: string): string
  forAccount(account: { id: string; dataKey: string }): AccountVault
  /** For answers kept for idempotent repeats; `call` names the call. */
  sealAnswer(call: string, text: string): string
  openAnswer(call: string, sealed: string): string
  /** Fingerprint to compare requests without storing them: they may hold secrets. */
  fingerprint(text: string): string
  /** Seals a known text, to check at the next start that the master key is still the same. */
  keyCheck(): string
  passesCheck(keyCheck: string): boolean
}

const CHECK_PLACE = 'installation/keyCheck'
const CHECK_TEXT = 'berth'

/** Envelope encryption: the master key wraps one data key per account, which seals the account's secrets. */
export function createVault(masterKey: Key): Vault {
  return {
    masterKeyId: masterKey.id,
    wrapNewKey: (accountId) => seal(masterKey, dataKeyLocation(accountId), newKey().bytes.toString('base64')),
    forAccount: (account) =>
      accountVault(keyFrom(Buffer.from(open(masterKey, dataKeyLocation(account.id), account.dataKey), 'base64'))),
    sealAnswer: (call, text) => seal(masterKey, answerLocation(call), text),
    openAnswer: (call, sealed) => open(masterKey, answerLocation(call), sealed),
    fingerprint: (text) => fingerprint(masterKey, text),
    keyCheck: () => seal(masterKey, CHECK_PLACE, CHECK_TEXT),
    passesCheck(keyCheck) {
      try {
        return open(masterKey, CHECK_PLACE, keyCheck) === CHECK_TEXT
      } catch {
        return false
      }
    },
  }
}

function accountVault(key: Key): AccountVault {
  return {
    sealVariable({ name, value, type, isSecret }) {
      const id = newId('var')
      return {
        id,
        name,
        type,
        isSecret,
        sealedValue: seal(key, variableLocation(id), value),
        fingerprint: fingerprint(key, value),
      }
    },
    openVariable: (variable) => open(key, variableLocation(variable.id), variable.sealedValue),
    sealCredential: (id, data) => seal(key, credentialLocation(id), JSON.stringify(data)),
    openCredential: (id, sealed) => JSON.parse(open(key, credentialLocation(id), sealed)),
  }
}
