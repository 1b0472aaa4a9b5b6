import type { SealedVariable, VariableType } from '../../domain/configuration.ts'
import { newId } from '../../domain/ids.ts'
import { fingerprint, type Key, keyFrom, macOf, newKey, open, seal } from './keys.ts'

const variableLocation = (id: string) => `variable/${id}/value`
const credentialLocation = (id: string) => `credential/${id}/data`
const serviceLocation = (id: string) => `serviceCredentials/${id}/data`
const inputsLocation = (id: string) => `solutionInstallation/${id}/inputs`
const webhookLocation = (id: string) => `webhook/${id}/data`
const gitHookLocation = (id: string) => `gitHook/${id}/data`
const backupLocation = (id: string) => `backup/${id}/key`
const answerLocation = (call: string) => `idempotencyRecord/${call}/response`
const stateLocation = (kind: string, hash: string) => `oauthState/${kind}/${hash}/payload`
const codeLocation = (userId: string) => `codeGenerator/${userId}/secret`
const dataKeyLocation = (accountId: string) => `account/${accountId}/dataKey`

/** The operations of one account's data key. Get it from the vault with the account's wrapped key. */
export interface AccountVault {
  /** The variable with its value sealed under this account's key, for one that was sealed under another. */
  sealAgain(variable: SealedVariable, value: string): SealedVariable
  sealVariable(variable: { name: string; value: string; type: VariableType; isSecret: boolean }): SealedVariable
  openVariable(variable: Pick<SealedVariable, 'id' | 'sealedValue'>): string
  sealCredential(id: string, data: unknown): string
  openCredential(id: string, sealed: string): unknown
  /** The names and passwords of a managed service. */
  sealServiceCredentials(id: string, data: unknown): string
  openServiceCredentials(id: string, sealed: string): unknown
  /** What the inputs of a solution were. */
  sealInputs(id: string, data: unknown): string
  openInputs(id: string, sealed: string): unknown
  /** Where a webhook sends, and what it signs with. */
  sealWebhook(id: string, data: unknown): string
  openWebhook(id: string, sealed: string): unknown
  /** What proves the deliveries of a git hook. */
  sealGitHook(id: string, data: unknown): string
  openGitHook(id: string, sealed: string): unknown
  /** The key of a backup's file. */
  sealBackupKey(id: string, key: Buffer): string
  openBackupKey(id: string, sealed: string): Buffer
}

export interface Vault {
  masterKeyId: string
  /** A fresh data key for an account, wrapped for storage. */
  wrapNewKey(accountId: string): string
  forAccount(account: { id: string; dataKey: string }): AccountVault
  /** For answers kept for idempotent repeats; `call` names the call. */
  sealAnswer(call: string, text: string): string
  openAnswer(call: string, sealed: string): string
  /** What OAuth remembers of a question to a user, with the secrets in it. */
  sealState(kind: string, hash: string, text: string): string
  openState(kind: string, hash: string, sealed: string): string
  /** What makes a user's codes for signing in. */
  sealCodeSecret(userId: string, secret: string): string
  openCodeSecret(userId: string, sealed: string): string
  /** Fingerprint to compare requests without storing them: they may hold secrets. */
  fingerprint(text: string): string
  /** Seals a known text, to check at the next start that the master key is still the same. */
  keyCheck(): string
  passesCheck(keyCheck: string): boolean
  /** Whether the check was made by a Berth that seals the heads of audit chains; only the master key can make one. */
  hasSealedHeads(keyCheck: string): boolean
  /** Signs what the holder of an address may do. */
  linkMac(text: string): string
  /** Seals the last number and hash of an audit chain. */
  auditHeadMac(head: { eventSequenceId: string; sequence: bigint; hash: string }): string
}

const CHECK_PLACE = 'installation/keyCheck'
const CHECK_TEXT = 'berth, audit heads sealed'
/** Of installations from before the heads of audit chains were sealed. */
const FIRST_CHECK_TEXT = 'berth'

/**
 * Envelope encryption: the master key wraps one data key per account, which seals the account's secrets. Fingerprints
 * have a key of their own once the master key was rotated: DNS records that prove hosts must stay as they are.
 */
export function createVault(masterKey: Key, fingerprintKey: Key = masterKey): Vault {
  return {
    masterKeyId: masterKey.id,
    wrapNewKey: (accountId) => seal(masterKey, dataKeyLocation(accountId), newKey().bytes.toString('base64')),
    forAccount: (account) =>
      accountVault(keyFrom(Buffer.from(open(masterKey, dataKeyLocation(account.id), account.dataKey), 'base64'))),
    sealAnswer: (call, text) => seal(masterKey, answerLocation(call), text),
    openAnswer: (call, sealed) => open(masterKey, answerLocation(call), sealed),
    sealState: (kind, hash, text) => seal(masterKey, stateLocation(kind, hash), text),
    openState: (kind, hash, sealed) => open(masterKey, stateLocation(kind, hash), sealed),
    sealCodeSecret: (userId, secret) => seal(masterKey, codeLocation(userId), secret),
    openCodeSecret: (userId, sealed) => open(masterKey, codeLocation(userId), sealed),
    fingerprint: (text) => fingerprint(fingerprintKey, text),
    keyCheck: () => seal(masterKey, CHECK_PLACE, CHECK_TEXT),
    passesCheck: (keyCheck) => [CHECK_TEXT, FIRST_CHECK_TEXT].includes(checkText(masterKey, keyCheck) ?? ''),
    hasSealedHeads: (keyCheck) => checkText(masterKey, keyCheck) === CHECK_TEXT,
    linkMac: (text) => macOf(masterKey, 'link', text),
    auditHeadMac: ({ eventSequenceId, sequence, hash }) =>
      macOf(masterKey, 'audit head', JSON.stringify([eventSequenceId, String(sequence), hash])),
  }
}

/** Null when another key sealed it. */
function checkText(masterKey: Key, keyCheck: string): string | null {
  try {
    return open(masterKey, CHECK_PLACE, keyCheck)
  } catch {
    return null
  }
}

function accountVault(key: Key): AccountVault {
  const sealed = (id: string, value: string) => ({
    sealedValue: seal(key, variableLocation(id), value),
    fingerprint: fingerprint(key, value),
  })
  return {
    sealAgain: (variable, value) => ({ ...variable, ...sealed(variable.id, value) }),
    sealVariable({ name, value, type, isSecret }) {
      const id = newId('var')
      return { id, name, type, isSecret, ...sealed(id, value) }
    },
    openVariable: (variable) => open(key, variableLocation(variable.id), variable.sealedValue),
    sealCredential: (id, data) => seal(key, credentialLocation(id), JSON.stringify(data)),
    openCredential: (id, sealed) => JSON.parse(open(key, credentialLocation(id), sealed)),
    sealServiceCredentials: (id, data) => seal(key, serviceLocation(id), JSON.stringify(data)),
    openServiceCredentials: (id, sealed) => JSON.parse(open(key, serviceLocation(id), sealed)),
    sealInputs: (id, data) => seal(key, inputsLocation(id), JSON.stringify(data)),
    openInputs: (id, sealed) => JSON.parse(open(key, inputsLocation(id), sealed)),
    sealWebhook: (id, data) => seal(key, webhookLocation(id), JSON.stringify(data)),
    openWebhook: (id, sealed) => JSON.parse(open(key, webhookLocation(id), sealed)),
    sealGitHook: (id, data) => seal(key, gitHookLocation(id), JSON.stringify(data)),
    openGitHook: (id, sealed) => JSON.parse(open(key, gitHookLocation(id), sealed)),
    sealBackupKey: (id, bytes) => seal(key, backupLocation(id), bytes.toString('base64')),
    openBackupKey: (id, sealed) => Buffer.from(open(key, backupLocation(id), sealed), 'base64'),
  }
}
