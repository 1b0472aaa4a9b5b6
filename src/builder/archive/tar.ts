import { BuildFailure } from '../../domain/build-failure.ts'
import { textOf } from './byte-names.ts'
import type { SourceWriter } from './source-writer.ts'
import { type TarEntry, tarEntries } from './tar-entries.ts'

/** What no image is built from. It is refused only when the build would see it. */
const SPECIAL: Readonly<Record<string, string>> = { 3: 'a character device', 4: 'a block device', 6: 'a pipe' }

export async function extractTar(tar: AsyncIterable<Uint8Array>, writer: SourceWriter): Promise<void> {
  for await (const entry of tarEntries(tar)) await take(entry, writer)
  await writer.finish()
}

async function take({ name, type, mode, target, content }: TarEntry, writer: SourceWriter): Promise<void> {
  const special = SPECIAL[type]
  if (special) return writer.absent(name, `is ${special}`)
  if (type === '1') return writer.hardLink(name, target)
  if (type === '2') return writer.link(name, target)
  // Archivers of old have no type for folders; D is a folder of an incremental backup, with a list of its files.
  if (type === '5' || type === 'D' || (isFile(type) && name.endsWith('/'))) return writer.directory(name, mode)
  if (isFile(type)) return writer.file(name, content(), mode)
  throw new BuildFailure(
    'SOURCE_REFUSED',
    `The archive holds ${JSON.stringify(textOf(name).slice(0, 120))}, whose type in tar, ${JSON.stringify(type)}, is not known: it is neither a file, a folder nor a link`,
  )
}

/** Contiguous files (7) are files, and so are sparse ones (S), whose content comes with its holes filled. */
const isFile = (type: string): boolean => type === '0' || type === '7' || type === 'S'
