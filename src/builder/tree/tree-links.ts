import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { assertLinkStaysInside } from '../archive/entry-rules.ts'
import { assertLinksLeadInside } from '../archive/links.ts'

/** Throws SOURCE_REFUSED for a link in the folder that leads out of it. */
export async function assertTreeLinksStayInside(tree: string): Promise<void> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  const links = new Map<string, string>()
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const full = join(entry.parentPath, entry.name)
    const [path, target] = [full.slice(tree.length + 1), await readlink(full)]
    assertLinkStaysInside(path, target)
    links.set(path, target)
  }
  assertLinksLeadInside(links)
}
