import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeOnce } from './make-once.mjs'
import { runQuietly, step } from './step.mjs'

const BUNDLER = fileURLToPath(new URL('bundle.mjs', import.meta.url))
/** A Berth that runs still imports files of the version that it was started from. */
const VERSIONS_KEPT = 3

/** The bundler's allocator takes whole arenas at once and keeps what was freed: 770 MB, where 400 are as quick. */
export const FRUGAL_MIMALLOC = { MIMALLOC_ARENA_EAGER_COMMIT: '0', MIMALLOC_PURGE_DELAY: '0' }

/** Where Node.js keeps compiled code. */
export const compileCacheOf = (root) => process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile')

/** What runs Berth: its bundle, or its source where that has changed since, or was never bundled. */
export function programOf(root) {
  const bundle = join(bundleOf(root), 'main.mjs')
  return existsSync(bundle) ? bundle : join(root, 'src/main.ts')
}

/**
 * Bundles and compiles the program whenever it or its dependencies have changed. Reading 1,700 files and resolving their
 * imports takes a process longer than everything else that it does until it is ready; and it needs 25 MB less without
 * the compiler of TypeScript.
 */
export async function compileCode(root, node) {
  const folder = bundleOf(root)
  const compile = async (onStart) => {
    const unfinished = `${folder}.${process.pid}`
    await runQuietly(node, [BUNDLER, root, unfinished], { environment: FRUGAL_MIMALLOC, onStart })
    // What a power cut has left of it.
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
    const environment = { NODE_COMPILE_CACHE: compileCacheOf(root) }
    await runQuietly(node, [join(folder, 'everything.mjs')], { environment, onStart })
    removeOlder(folder)
  }
  const isCompiled = () => existsSync(folder)
  await makeOnce(root, 'bundle', isCompiled, (onStart) => step('Compiling Berth', () => compile(onStart)))
}

function removeOlder(folder) {
  const parent = dirname(folder)
  const others = readdirSync(parent)
    .filter((name) => name !== basename(folder))
    .map((name) => ({ path: join(parent, name), since: statSync(join(parent, name)).mtimeMs }))
    .sort((a, b) => b.since - a.since)
  for (const { path } of others.slice(VERSIONS_KEPT - 1)) rmSync(path, { recursive: true, force: true })
}

/** The folder for this version of the program. It is there only when it is complete. */
function bundleOf(root) {
  return join(root, '.bundle', digest(root))
}

function digest(root) {
  const hash = createHash('sha256')
  for (const path of [join(root, 'package-lock.json'), BUNDLER]) hash.update(readFileSync(path))
  const folder = join(root, 'src')
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    const { size, mtimeMs } = statSync(join(folder, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 24)
}
