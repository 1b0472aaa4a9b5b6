import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runQuietly, step } from './step.mjs'

/** What each process of Berth loads, so that all of it is compiled. */
const MODULES = [
  'platform/platform',
  'platform/log',
  'platform/welcome',
  'platform/control-plane',
  'platform/container-engine',
  'platform/serve-ingress',
  'platform/roles/start-api',
  'platform/roles/start-worker',
  'platform/roles/start-health',
  'builder/source-reader/readings',
  'builder/archive/extract',
  'builder/context/build-context',
  'builder/dockerfile/base-images',
  'builder/dockerfile/dockerfile',
  'builder/dockerfile/dockerfile-labels',
  'builder/dockerfile/exposed-variables',
  'builder/nixpacks-plan',
  'builder/tree/listed-tree',
  'builder/tree/tree-links',
]

/** Where Node.js keeps compiled code. */
export const compileCacheOf = (root) => process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile')

/**
 * Compiles the program whenever it has changed. A process that starts from compiled code is there in half the time, and
 * needs 25 MB less, because it does not load the compiler of TypeScript.
 */
export async function compileCode(root, node) {
  const folder = compileCacheOf(root)
  const stamp = join(folder, 'source.sha256')
  const source = digest(join(root, 'src'), node)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return
  await step('Compiling Berth', async () => {
    const imports = MODULES.map((name) => `import './src/${name}.ts'`)
    const environment = { NODE_COMPILE_CACHE: folder }
    await runQuietly(node, ['--input-type=module', '--eval', imports.join('\n')], { environment })
    mkdirSync(folder, { recursive: true })
    writeFileSync(stamp, source)
  })
}

function digest(folder, node) {
  const hash = createHash('sha256').update(node)
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    const { size, mtimeMs } = statSync(join(folder, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
