import { createCipheriv, createDecipheriv } from 'node:crypto'
import { ByteReader } from './byte-reader.ts'
import { type BackupHeader, checkHeader, damaged, encodeHeader, headerBytes, PREAMBLE_BYTES } from './header.ts'

const ALGORITHM = 'aes-256-gcm'
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const NONCE_BYTES = 12

/**
 * The construction STREAM (Hoang, Reyhanitabar, Rogaway, Vizár 2015) with AES-256-GCM: each chunk's nonce is its number
 * and whether it is the last. So a chunk that was changed, moved, repeated or cut off does not open. A key must encrypt
 * one stream only.
 */
export async function* encrypted(
  plain: AsyncIterable<Uint8Array>,
  header: BackupHeader,
  key: Buffer,
): AsyncGenerator<Uint8Array> {
  const encoded = encodeHeader(header)
  yield encoded
  const reader = new ByteReader(plain)
  for (let number = 0; ; number += 1) {
    const chunk = await reader.read(CHUNK_BYTES)
    const isLast = await reader.isAtEnd()
    const cipher = createCipheriv(ALGORITHM, key, nonceOf(number, isLast)).setAAD(encoded)
    yield cipher.update(chunk)
    cipher.final()
    yield cipher.getAuthTag()
    if (isLast) return
  }
}

/** Yields only what is authentic. Throws BACKUP_DAMAGED that names the first chunk which is not. */
export async function* decrypted(
  file: AsyncIterable<Uint8Array>,
  expected: BackupHeader,
  key: Buffer,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(file)
  const preamble = Buffer.from(await reader.read(PREAMBLE_BYTES))
  const json = await reader.read(headerBytes(preamble))
  checkHeader(json, expected)
  const encoded = Buffer.concat([preamble, json])
  for (let number = 0; ; number += 1) {
    const sealed = await reader.read(CHUNK_BYTES + TAG_BYTES)
    const isLast = await reader.isAtEnd()
    yield opened({ sealed, number, isLast, encoded, key })
    if (isLast) return
  }
}

interface SealedChunk {
  sealed: Buffer
  number: number
  isLast: boolean
  encoded: Buffer
  key: Buffer
}

function opened(chunk: SealedChunk): Buffer {
  const { number, isLast } = chunk
  const plain = tryOpen(chunk)
  if (plain) return plain
  // A chunk that opens as one of the middle is authentic; what should follow it is missing.
  const isCut = isLast && tryOpen({ ...chunk, isLast: false }) !== null
  throw damaged(isCut ? `it ends after chunk ${number + 1}, and more should follow` : corrupted(number))
}

const corrupted = (number: number) =>
  `chunk ${number + 1} (from byte ${number * (CHUNK_BYTES + TAG_BYTES)} after the header) was changed, moved or cut off`

function tryOpen({ sealed, number, isLast, encoded, key }: SealedChunk): Buffer | null {
  if (sealed.length < TAG_BYTES) return null
  const end = sealed.length - TAG_BYTES
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(number, isLast))
      .setAAD(encoded)
      .setAuthTag(sealed.subarray(end))
    const plain = decipher.update(sealed.subarray(0, end))
    decipher.final()
    return plain
  } catch {
    return null
  }
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(number), 3)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}
