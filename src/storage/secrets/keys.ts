import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A 256-bit key and a short name for it that reveals nothing about it. */
export interface Key {
  id: string
  bytes: Buffer
}

export const keyFromHex = (hex: string): Key => keyFrom(Buffer.from(hex, 'hex'))

export const keyFrom = (bytes: Buffer): Key => ({
  id: createHash('sha256').update('berth key id').update(bytes).digest('hex').slice(0, 12),
  bytes,
})

export const newKey = (): Key => keyFrom(randomBytes(32))

/**
 * Seals a text so that only the key opens it, and only at its own location: `location` names table, row and field, so
 * that a sealed value copied to another row does not open. Result: `v1.<key id>.<base64>`.
 */
export function seal(key: Key, location: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(location))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `v1.${key.id}.${sealed.toString('base64')}`
}

/** Opens a sealed text. Throws when the key, the location or the bytes are not those it was sealed with. */
export function open(key: Key, location: string, sealedText: string): string {
  const [version, keyId, encoded] = sealedText.split('.')
  if (version !== 'v1' || !encoded) throw new Error(`The sealed value of ${location} is malformed`)
  if (keyId !== key.id) throw new Error(`The sealed value of ${location} was sealed with key ${keyId}, not ${key.id}`)
  const sealed = Buffer.from(encoded, 'base64')
  const decipher = createDecipheriv(ALGORITHM, key.bytes, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(location))
    .setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}

/** Under one key, equal texts have equal fingerprints; a fingerprint reveals nothing else. */
export const fingerprint = (key: Key, text: string): string =>
  createHmac('sha256', key.bytes).update('berth fingerprint').update(text).digest('hex')

/** A code that only the key can compute, for one purpose. */
export const macOf = (key: Key, purpose: string, text: string): string =>
  createHmac('sha256', key.bytes).update(`berth ${purpose}`).update(text).digest('hex')

/** Id of the key that a text was sealed with. */
export const sealedWith = (sealedText: string): string => sealedText.split('.')[1] ?? ''
