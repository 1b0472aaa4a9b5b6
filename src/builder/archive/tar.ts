import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { SourceWriter } from './source-writer.ts'

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer E> ? E : never

/** Headers that describe other entries, and are no entries themselves. */
const IGNORED: ReadonlySet<string> = new Set(['pax-global-header', 'pax-header'])

export async function extractTar(tar: AsyncIterable<Uint8Array>, writer: SourceWriter): Promise<void> {
  const entries = extract()
  const source = Readable.from(tar)
  // An error of one stream destroys the other, and the loop throws it: an unhandled one would end the process.
  entries.on('error', () => source.destroy())
  source.on('error', (error) => entries.destroy(error))
  source.pipe(entries)
  try {
    for await (const entry of entries) {
      entry.on('error', () => {})
      await take(entry, writer)
    }
  } finally {
    source.destroy()
  }
  await writer.finish()
}

async function take(entry: Entry, writer: SourceWriter): Promise<void> {
  const { name, type, linkname, mode } = entry.header
  const kind: string = type ?? 'file'
  if (kind === 'file' || kind === 'contiguous-file') {
    return writer.file(name, entry as unknown as NodeJS.ReadableStream, { isExecutable: ((mode ?? 0) & 0o100) !== 0 })
  }
  if (kind === 'directory') await writer.directory(name)
  else if (kind === 'symlink') writer.link(name, linkname ?? '')
  else if (!IGNORED.has(kind)) {
    const words = `The archive holds ${JSON.stringify(name.slice(0, 120))}, which is neither a file, a folder nor a link`
    throw new BuildFailure('SOURCE_REFUSED', `${words} (${kind})`)
  }
  entry.resume()
}
