import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'

/** A gzipped tar file with these entries, even malformed ones. */
export async function tarGz(
  entries: readonly (Partial<Header> & { name: string; content?: string })[],
): Promise<Buffer> {
  const archive = pack()
  for (const { content, ...header } of entries) archive.entry(header, content ?? '')
  archive.finalize()
  return gzipSync(await buffer(archive))
}

/** The same for plain files, by path. */
export const sourceOf = (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
