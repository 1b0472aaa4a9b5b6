import { createHash, randomBytes } from 'node:crypto'

export const BLOCK_BYTES = 64 * 1024

/** So many blocks, and the hash of all that were taken. */
export function randomBlocks(count: number) {
  const hash = createHash('sha256')
  const seed = Array.from({ length: 16 }, () => randomBytes(BLOCK_BYTES))
  let taken = 0
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (; taken < count; taken += 1) {
      const block = Buffer.from(seed[taken % seed.length] ?? [])
      block.writeUInt32BE(taken, 0)
      hash.update(block)
      yield block
    }
  }
  return { blocks: blocks(), digest: () => hash.digest('hex'), taken: () => taken }
}

/** Takes an output, and keeps its hash only. */
export function hashed() {
  const hash = createHash('sha256')
  let bytes = 0
  const output = (chunk: Uint8Array) => {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { output, digest: () => hash.digest('hex'), bytes: () => bytes }
}

/** An input that never says anything, and never ends. */
export async function* silentInput(): AsyncGenerator<Uint8Array> {
  await new Promise<never>(() => {})
}
