import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { SourceWriter } from './source-writer.ts'

/** Headers that say something about other entries, and are none. */
const IGNORED: ReadonlySet<string> = new Set(['pax-global-header', 'pax-header'])

export async function extractTar(tar: AsyncIterable<Uint8Array>, writer: SourceWriter): Promise<void> {
  const entries = Readable.from(tar).pipe(extract())
  for await (const entry of entries) {
    const { name, type, linkname, mode } = entry.header
    const kind: string = type ?? 'file'
    if (kind === 'file' || kind === 'contiguous-file') {
      await writer.file(name, entry as unknown as NodeJS.ReadableStream, { isExecutable: ((mode ?? 0) & 0o100) !== 0 })
      continue
    }
    if (kind === 'directory') await writer.directory(name)
    else if (kind === 'symlink') writer.link(name, linkname ?? '')
    else if (!IGNORED.has(kind)) {
      const words = `The archive holds ${JSON.stringify(name.slice(0, 120))}, which is neither a file, a folder nor a link`
      throw new BuildFailure('SOURCE_REFUSED', `${words} (${kind})`)
    }
    entry.resume()
  }
  await writer.finish()
}
