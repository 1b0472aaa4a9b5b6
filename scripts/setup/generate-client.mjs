// Runs the generators of prisma/schema.prisma: node scripts/setup/generate-client.mjs <root>. The package "prisma" would do
// the same, and bring its studio, its development server and 130 packages that nothing else here needs.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// Their builds for import() name files without extensions, which Node.js does not find.
const require = createRequire(import.meta.url)
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts')
const { getGenerators } = require('@prisma/internals')

const [root] = process.argv.slice(2)

const generators = await getGenerators({
  schemaPath: join(root, 'prisma/schema.prisma'),
  // Other providers, such as prisma-pothos-types, are programs on the PATH.
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
  cliCommand: 'generate',
})
try {
  for (const generator of generators) await generator.generate()
} finally {
  for (const generator of generators) generator.stop()
}
unpackQueryCompiler(join(root, 'src/storage/database/generated/prisma/internal'))

/**
 * The client imports its query compiler as a text of 4.6 MB, which every process would keep twice, as a module's source
 * and its value. It reads the compiler from a file instead, once.
 */
function unpackQueryCompiler(folder) {
  const client = join(folder, 'class.ts')
  const source = readFileSync(client, 'utf8')
  const imported =
    /const \{ wasm \} = await import\("([^"]+\.wasm-base64\.mjs)"\)\s+return await decodeBase64AsWasm\(wasm\)/
  const [statements, packed] = imported.exec(source) ?? []
  const [, base64] = (packed && /"([\w+/=]{1000,})"/.exec(readFileSync(require.resolve(packed), 'utf8'))) ?? []
  if (!base64) throw new Error(`${client} loads its query compiler in an unknown way`)
  writeFileSync(join(folder, 'query-compiler.wasm'), Buffer.from(base64, 'base64'))
  const read = `const { readFile } = await import('node:fs/promises')
    return new WebAssembly.Module(await readFile(new URL('query-compiler.wasm', import.meta.url)))`
  writeFileSync(
    client,
    source.replace(statements, () => read),
  )
}
