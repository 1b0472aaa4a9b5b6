import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FRUGAL_MIMALLOC } from './compiled-code.mjs'
import { makeOnce } from './make-once.mjs'
import { runQuietly, step } from './step.mjs'

/** What is generated: by which program, into which folder, from which files and folders. */
const GENERATED = [
  {
    label: 'Generating the database client',
    program: 'generate-client.mjs',
    folder: 'src/storage/database/generated',
    sources: [
      'prisma/schema.prisma',
      'node_modules/@prisma/client-generator-ts/package.json',
      'node_modules/@pothos/plugin-prisma/package.json',
    ],
  },
  {
    label: 'Compiling the schema of compose files',
    program: 'compile-compose-schema.mjs',
    folder: 'src/solutions/generated',
    sources: ['src/solutions/compose/compose-spec.json', 'node_modules/ajv/package.json'],
  },
  {
    label: 'Unpacking GraphiQL and the REST reference',
    program: 'unpack-pages.mjs',
    folder: 'src/api/http/generated',
    sources: [
      'node_modules/@graphql-yoga/render-graphiql/package.json',
      'node_modules/@scalar/fastify-api-reference/package.json',
    ],
  },
  {
    label: 'Typing the console’s documents',
    program: 'generate-schema-types.mjs',
    folder: 'console/src/graphql/generated',
    sources: ['schema.graphql', 'node_modules/@gql.tada/internal/package.json'],
    // Only what checks types reads it.
    isForDevelopment: true,
  },
  {
    label: 'Building the console',
    program: 'build-console.mjs',
    folder: 'console/dist',
    sources: [
      'console/src',
      'console/public',
      'console/index.html',
      'console/vite.config.ts',
      'text',
      'src/domain',
      'src/api/http/tokens.css',
      'package-lock.json',
    ],
  },
]

/** Generates whatever is older than what it is made of. */
export async function generateCode(root, node) {
  for (const generated of GENERATED) {
    if (generated.isForDevelopment && !existsSync(join(root, generated.sources.at(-1)))) continue
    await generate(root, node, generated)
  }
}

async function generate(root, node, { label, program, folder, sources }) {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const stamp = join(root, folder, 'source.sha256')
  const source = digest([path, ...sources.map((name) => join(root, name))])
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === source
  const run = async (onStart) => {
    rmSync(stamp, { force: true })
    // One of the client's generators is a program, which is searched on the PATH.
    const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`
    // What a generator makes lives shortly: with the young generation that V8 chooses, it would take 400 MB, not 300.
    const NODE_OPTIONS = [process.env.NODE_OPTIONS, '--max-semi-space-size=2'].filter(Boolean).join(' ')
    await runQuietly(node, [path, root], { environment: { ...FRUGAL_MIMALLOC, PATH, NODE_OPTIONS }, onStart })
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(stamp, source)
  }
  await makeOnce(root, program, isCurrent, (onStart) => step(label, () => run(onStart)))
}

function digest(paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap(filesIn)) hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** A file, or all files of a folder; what is generated is made of the others. */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('generated'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
