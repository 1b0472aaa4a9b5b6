import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { extractArchive } from '../../src/builder/archive/extract.ts'
import { type ContextOptions, packContext } from '../../src/builder/context/build-context.ts'

const limits = { maxBytes: 64 * 1024 * 1024, maxFiles: 5_000, timeoutSeconds: 60 }

/** What is in a folder: of each path, as bytes, its type, mode, and content or target. */
export function contentsOf(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {}
  const full = (path: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])
  for (const bytes of readdirSync(full(below), { encoding: 'buffer' })) {
    const path = below === '' ? bytes.toString('latin1') : `${below}/${bytes.toString('latin1')}`
    const about = lstatSync(full(path))
    const mode = (about.mode & 0o7777).toString(8)
    if (about.isSymbolicLink()) found[path] = `link to ${readlinkSync(full(path), { encoding: 'latin1' })}`
    else if (about.isDirectory()) Object.assign(found, { [path]: `folder ${mode}` }, contentsOf(folder, path))
    else if (about.isFile()) found[path] = `file ${mode} ${readFileSync(full(path)).toString('base64')}`
    else found[path] = 'special'
  }
  return found
}

/** Reads an archive as a build does. */
export async function unpacked(archive: string, tree: string) {
  mkdirSync(tree)
  const absent = await extractArchive(archive, tree, limits, AbortSignal.timeout(60_000))
  return { folder: tree, absent }
}

/** What a builder of an account finds in the context, beside the Dockerfile: unpacked by tar, as there. */
export async function contextOf(folder: string, into: string, options: ContextOptions = {}) {
  const packed = await buffer(packContext(folder, 'FROM scratch\n', { isForEngine: false, ...options }))
  mkdirSync(into)
  execFileSync('tar', ['-x', '-p', '--delay-directory-restore', '-C', into], { input: packed })
  const { '.berth.Dockerfile': dockerfile, ...contents } = contentsOf(into)
  if (!dockerfile) throw new Error(`There is no Dockerfile in ${join(into, '.berth.Dockerfile')}`)
  return contents
}
