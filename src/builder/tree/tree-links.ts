import { readdir, readlink } from 'node:fs/promises'
import { bytesBelow, nameOf, textOf } from '../archive/byte-names.ts'
import { assertLinksLeadInside } from '../archive/links.ts'

/**
 * Throws SOURCE_REFUSED for a link in the folder that leads out of it. For programs that follow links: a build itself keeps
 * them as they are.
 */
export async function assertTreeLinksLeadInside(tree: string): Promise<void> {
  const links = new Map<string, string>()
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(bytesBelow(tree, folder), { withFileTypes: true, encoding: 'buffer' })
    for (const entry of entries) {
      const path = folder === '' ? nameOf(entry.name) : `${folder}/${nameOf(entry.name)}`
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isSymbolicLink()) {
        links.set(textOf(path), await readlink(bytesBelow(tree, path), { encoding: 'utf8' }))
      }
    }
  }
  assertLinksLeadInside(links)
}
