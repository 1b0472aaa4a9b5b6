import { text } from 'node:stream/consumers'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { BuildFailure } from '../../domain/build-failure.ts'
import { MAX_PATH_LENGTH } from '../limits.ts'
import type { SourceWriter } from './source-writer.ts'

const TYPE_MASK = 0o170000
const LINK = 0o120000
const REGULAR = 0o100000
const FOLDER = 0o040000

export async function extractZip(file: string, writer: SourceWriter, signal: AbortSignal): Promise<void> {
  const zip = await openPromise(file, { lazyEntries: true, validateEntrySizes: true, autoClose: false })
  try {
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted()
      await take(zip, entry, writer)
    }
    await writer.finish()
  } finally {
    zip.close()
  }
}

async function take(zip: ZipFile, entry: Entry, writer: SourceWriter): Promise<void> {
  const { fileName } = entry
  if (fileName.endsWith('/')) return writer.directory(fileName)
  // Only archives that were created on Unix record the type of a file.
  const mode = entry.externalFileAttributes >>> 16
  const type = mode & TYPE_MASK
  if (type !== 0 && type !== LINK && type !== REGULAR && type !== FOLDER) {
    throw new BuildFailure(
      'SOURCE_REFUSED',
      `The archive holds a special file, ${JSON.stringify(fileName.slice(0, 120))}`,
    )
  }
  if (entry.isEncrypted()) throw new BuildFailure('SOURCE_REFUSED', 'The archive is encrypted')
  if (type === LINK && entry.uncompressedSize > MAX_PATH_LENGTH) {
    throw new BuildFailure('SOURCE_REFUSED', `The link ${JSON.stringify(fileName.slice(0, 120))} is too long`)
  }
  const content = await zip.openReadStreamPromise(entry)
  // It may fail again after it was abandoned; an unhandled error would end the process.
  content.on('error', () => {})
  if (type === LINK) writer.link(fileName, await text(content))
  else await writer.file(fileName, content, { isExecutable: (mode & 0o100) !== 0 })
}
