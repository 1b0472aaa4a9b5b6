import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BackupFailed } from './backup-failed.ts'
import { decrypted, encrypted } from './format/chunks.ts'
import { type BackupHeader, damaged } from './format/header.ts'
import type { BackupStore, WriteOptions } from './stores/backup-store.ts'

const OVER_BUDGET =
  'The backup is larger than what the account may still store (BERTH_BACKUP_BUDGET_MB): delete backups that are not needed'

/** The default level costs twice the processor time or more, and saves a few percent of the bytes. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Writing extends WriteOptions {
  store: BackupStore
  file: string
  header: BackupHeader
  /** 32 random bytes that encrypt nothing else. */
  key: Buffer
  /** The file may have this many. */
  maxBytes: number
  /** Produces the content by calling `output`; its failure discards the file. */
  produce: (output: (chunk: Uint8Array) => Promise<void>) => Promise<void>
  /** Called with the number of bytes produced so far. */
  progress?: (bytes: number) => void
}

interface Written {
  sizeBytes: number
  sha256: string
}

/** Compresses, encrypts and stores what is produced, as it flows: chunk by chunk, with back-pressure. */
export async function writeBackup(writing: Writing): Promise<Written> {
  const { store, file, header, key, maxBytes, produce, progress } = writing
  const compress = createZstdCompress(COMPRESSION)
  // The awaited promise reports the error; without a listener, the process would end.
  compress.on('error', () => {})
  const hash = createHash('sha256')
  let sizeBytes = 0
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of encrypted(compress, header, key)) {
      hash.update(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new BackupFailed('BACKUP_BUDGET', OVER_BUDGET)
      yield chunk
    }
  }
  let produced = 0
  const pieces = new Pieces((piece) => taken(compress, piece))
  const output = async (chunk: Uint8Array): Promise<void> => {
    await pieces.add(chunk)
    produced += chunk.length
    progress?.(produced)
  }
  const producing = produce(output)
    .then(() => pieces.end())
    .then(
      () => void compress.end(),
      (error) => void compress.destroy(error),
    )
  try {
    await store.write(file, counted(), writing)
  } catch (error) {
    // Ends the producer, which would wait for ever.
    compress.destroy(error as Error)
    throw error
  } finally {
    await producing
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Resolves when the chunk was compressed, which waits for what was compressed before to be stored. */
const taken = (stream: Writable, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    // A stream that is destroyed while it compresses says nothing of that chunk.
    const onClose = () => reject(stream.errored ?? new Error('The backup was given up'))
    stream.once('close', onClose)
    stream.write(chunk, (error) => {
      stream.off('close', onClose)
      if (error) reject(error)
      else resolve()
    })
  })

interface Reading {
  store: BackupStore
  file: string
  header: BackupHeader
  key: Buffer
  signal: AbortSignal
}

/**
 * What was saved, in the engine's own format. It is authentic up to where the iteration has come; that the backup is
 * whole is known only at its end.
 */
export async function* readBackup({ store, file, header, key, signal }: Reading): AsyncGenerator<Uint8Array> {
  const decompress = createZstdDecompress()
  const source = Readable.from(decrypted(store.read(file, signal), header, key), { objectMode: false })
  const done = pipeline(source, decompress, { signal }).catch((error: NodeJS.ErrnoException) => {
    throw error.code?.startsWith('ZSTD') ? damaged('its content cannot be decompressed') : error
  })
  // Awaited below; a reader that stops early is not interested.
  done.catch(() => {})
  try {
    yield* decompress
  } catch (error) {
    await done
    throw error
  }
  await done
}

/** A compressor takes few large pieces several times faster than many small ones. */
const PIECE_BYTES = 256 * 1024

/** Gathers chunks and hands them on in pieces; the next one is gathered while one is taken. */
class Pieces {
  readonly #take: (piece: Uint8Array) => Promise<void>
  #piece = Buffer.allocUnsafe(PIECE_BYTES)
  #spare = Buffer.allocUnsafe(PIECE_BYTES)
  #gathered = 0
  #taking: Promise<void> = Promise.resolve()

  /** `take` has done with a piece when it resolves. */
  constructor(take: (piece: Uint8Array) => Promise<void>) {
    this.#take = take
  }

  /** Copies the chunk, so that the caller may use it again. Rejects when an earlier piece was not taken. */
  async add(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - this.#gathered)
      this.#piece.set(part, this.#gathered)
      this.#gathered += part.length
      at += part.length
      if (this.#gathered === PIECE_BYTES) await this.#handOn()
    }
  }

  /** Resolves when all of it was taken. */
  async end(): Promise<void> {
    await this.#handOn()
    await this.#taking
  }

  async #handOn(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#gathered)
    await this.#taking
    if (piece.length === 0) return // The one before was taken, and its memory is free.
    ;[this.#piece, this.#spare] = [this.#spare, this.#piece]
    this.#gathered = 0
    this.#taking = this.#take(piece)
    // The next call of add or end throws it.
    this.#taking.catch(() => {})
  }
}
