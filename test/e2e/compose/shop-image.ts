import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addFile, addNode, importRoot } from '../../../scripts/image-root.ts'

const MODULES = join(import.meta.dirname, '../../../node_modules')

/** The image of the compose files: a program of theirs, with the PostgreSQL client of this project. */
export const SHOP_IMAGE = 'example/shop:1.0'

export async function ensureShopImage(docker: Docker): Promise<void> {
  await importRoot(docker, SHOP_IMAGE, fill, ['CMD ["node", "/app/program.mjs"]', 'EXPOSE 3000'])
}

async function fill(archive: Pack): Promise<void> {
  await addNode(archive)
  await addFile(archive, 'app/program.mjs', join(import.meta.dirname, 'program.mjs'))
  for (const name of withDependencies('pg')) await addPackage(archive, name)
}

function withDependencies(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name) || !existsSync(join(MODULES, name))) return found
  found.add(name)
  const { dependencies = {} } = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8'))
  for (const dependency of Object.keys(dependencies)) withDependencies(dependency, found)
  return found
}

async function addPackage(archive: Pack, name: string): Promise<void> {
  const folder = join(MODULES, name)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    await addFile(archive, `app/node_modules/${name}${path.slice(folder.length)}`, path)
  }
}
