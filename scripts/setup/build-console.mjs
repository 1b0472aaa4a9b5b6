// Builds the web console into console/dist, with each file compressed beside it: node scripts/setup/build-console.mjs
// <root>.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = resolve(process.argv[2] ?? '.')
const folder = join(root, 'console/dist')
const unfinished = `${folder}.${process.pid}`

/** Smaller files fit into one packet as they are. */
const WORTH_COMPRESSING_BYTES = 1_000
const COMPRESSED = new Set(['.js', '.css', '.svg'])

// A build that a test has started would have React as it is for developers.
process.env.NODE_ENV = 'production'
await build({ root: join(root, 'console'), logLevel: 'warn', build: { outDir: unfinished, emptyOutDir: true } })
for (const name of readdirSync(unfinished, { recursive: true })) {
  const path = join(unfinished, name)
  if (COMPRESSED.has(extname(name)) && statSync(path).size >= WORTH_COMPRESSING_BYTES) compress(path)
}
// All of them or none: a process may be serving the former ones.
rmSync(folder, { recursive: true, force: true })
renameSync(unfinished, folder)

function compress(path) {
  const content = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
}
