import { type Key, keyFromHex, open, seal } from './keys.ts'

const LOCATION = 'installation/fingerprintKey'

export const sealFingerprintKey = (masterKey: Key, key: Key): string =>
  seal(masterKey, LOCATION, key.bytes.toString('hex'))

/** Until the first rotation there is no key of its own, and the master key is used. */
export const openFingerprintKey = (masterKey: Key, sealed: string | null): Key =>
  sealed === null ? masterKey : keyFromHex(open(masterKey, LOCATION, sealed))
