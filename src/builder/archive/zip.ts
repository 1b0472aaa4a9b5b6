import { buffer } from 'node:stream/consumers'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { BuildFailure } from '../../domain/build-failure.ts'
import { nameOf, textOf } from './byte-names.ts'
import { MAX_TARGET_BYTES } from './entry-rules.ts'
import type { SourceWriter } from './source-writer.ts'

const TYPE_MASK = 0o170000
const LINK = 0o120000
const REGULAR = 0o100000
const FOLDER = 0o040000
const SPECIAL: ReadonlyMap<number, string> = new Map([
  [0o010000, 'a pipe'],
  [0o020000, 'a character device'],
  [0o060000, 'a block device'],
  [0o140000, 'a socket'],
])

/** Systems, by the number in an entry, that have no backslash in names, so that it separates folders. */
const WITH_BACKSLASHES: ReadonlySet<number> = new Set([0, 10, 11, 14])
const UNIX = 3
const IN_UTF8 = 0x800
const UNICODE_PATH = 0x7075

export async function extractZip(file: string, writer: SourceWriter, signal: AbortSignal): Promise<void> {
  // Names are bytes: decoded, those that are not UTF-8 would be other names.
  const options = { lazyEntries: true, validateEntrySizes: true, autoClose: false, decodeStrings: false }
  const zip = await openPromise(file, options)
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

/** As unzip reads it: on Unix a name is bytes; elsewhere it is in the entry's own alphabet. */
function entryName({ fileNameRaw, generalPurposeBitFlag, extraFields, versionMadeBy }: Entry): string {
  const system = versionMadeBy >>> 8
  const isPlain = system === UNIX || (generalPurposeBitFlag & IN_UTF8) !== 0
  const isRaw = isPlain && !extraFields.some(({ id }) => id === UNICODE_PATH)
  const name = isRaw
    ? nameOf(fileNameRaw)
    : nameOf(Buffer.from(getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)))
  return WITH_BACKSLASHES.has(system) && !name.includes('/') ? name.replaceAll('\\', '/') : name
}

async function take(zip: ZipFile, entry: Entry, writer: SourceWriter): Promise<void> {
  const name = entryName(entry)
  // Only archives that were created on Unix record the type of a file.
  const mode = entry.externalFileAttributes >>> 16
  const type = mode & TYPE_MASK
  const special = SPECIAL.get(type)
  if (special) return writer.absent(name, `is ${special}`)
  if (name.endsWith('/')) return writer.directory(name, mode === 0 ? 0o755 : mode)
  const shown = JSON.stringify(textOf(name).slice(0, 120))
  if (type !== 0 && type !== LINK && type !== REGULAR && type !== FOLDER) {
    throw new BuildFailure('SOURCE_REFUSED', `The archive holds ${shown}, whose type is not known`)
  }
  if (entry.isEncrypted()) throw new BuildFailure('SOURCE_REFUSED', `The archive is encrypted, beginning with ${shown}`)
  if (type === LINK && entry.uncompressedSize > MAX_TARGET_BYTES) {
    throw new BuildFailure('SOURCE_REFUSED', `The target of the link ${shown} is too long`)
  }
  const content = await zip.openReadStreamPromise(entry)
  // It may fail again after it was abandoned; an unhandled error would end the process.
  content.on('error', () => {})
  if (type === LINK) writer.link(name, nameOf(await buffer(content)))
  else await writer.file(name, content, mode === 0 ? 0o644 : mode)
}
