import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BuildFailure } from '../../domain/build-failure.ts'
import { isDiskTrouble } from '../disk-trouble.ts'
import { megabytes, type SourceLimits } from '../limits.ts'
import type { AbsentEntry } from './source-tree.ts'
import { countedBy, SourceWriter } from './source-writer.ts'
import { extractTar } from './tar.ts'
import { extractZip } from './zip.ts'

/** A header of an entry, what fills its last block, and the header of a long name. */
const HEADER_BYTES = 4096

/** The real file type, whatever the file's name says. */
async function kindOf(file: string): Promise<'zip' | 'gzip' | 'unknown'> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new BuildFailure('SOURCE_NOT_FOUND', 'The uploaded archive is no longer there; upload it again')
  })
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.toString('latin1', 0, 2) === 'PK') return 'zip'
    return buffer[0] === 0x1f && buffer[1] === 0x8b ? 'gzip' : 'unknown'
  } finally {
    await handle.close()
  }
}

/**
 * Unpacks an uploaded archive into an empty folder. Throws BuildFailure SOURCE_REFUSED for a file that is no archive or
 * that holds paths out of the folder; SOURCE_TOO_LARGE for a bomb. Returns what it holds that cannot be written.
 */
export async function extractArchive(
  file: string,
  directory: string,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<AbsentEntry[]> {
  const writer = new SourceWriter(directory, limits)
  try {
    const kind = await kindOf(file)
    if (kind === 'zip') await extractZip(file, writer, signal)
    else if (kind === 'gzip') {
      const counted = countedBy(headersWithin(limits))
      await pipeline(createReadStream(file), createGunzip(), counted, (tar) => extractTar(tar, writer), { signal })
    } else throw new BuildFailure('SOURCE_REFUSED', 'The archive is neither a zip nor a gzipped tar file')
    return writer.absentEntries
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BuildFailure || isDiskTrouble(error)) throw error
    throw new BuildFailure('SOURCE_REFUSED', `The archive cannot be read: ${wordsOf(error)}`)
  }
}

/** Headers are no content of any file: an archive of nothing but headers would be unpacked without end. */
function headersWithin({ maxBytes, maxFiles }: SourceLimits): (bytes: number) => void {
  let left = maxBytes + maxFiles * HEADER_BYTES
  return (bytes) => {
    left -= bytes
    if (left >= 0) return
    throw new BuildFailure('SOURCE_TOO_LARGE', `The source is larger than ${megabytes(maxBytes)}, with its headers`)
  }
}

/** File system errors contain the worker's own paths, which tenants must not see. */
function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (['ENOTDIR', 'EEXIST', 'EISDIR'].includes(code ?? '')) return 'it has a file where it also has a folder'
  if (code === 'ENAMETOOLONG') return 'it has a name that is too long'
  return message.slice(0, 200)
}
