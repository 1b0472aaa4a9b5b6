import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oneAtATime } from './one-at-a-time.mjs'
import { runQuietly, step } from './step.mjs'

const GENERATOR = fileURLToPath(new URL('generate-client.mjs', import.meta.url))

/** Generates the database client whenever the schema or the generator has changed. */
export async function generateCode(root, node) {
  const folder = join(root, 'src', 'database', 'generated')
  const stamp = join(folder, 'source.sha256')
  const source = digest(
    GENERATOR,
    join(root, 'prisma', 'schema.prisma'),
    join(root, 'node_modules', '@prisma', 'client-generator-ts', 'package.json'),
    join(root, 'node_modules', '@pothos', 'plugin-prisma', 'package.json'),
  )
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === source
  const generate = async (onStart) => {
    // One of the generators is a program, which is searched on the PATH.
    const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`
    await runQuietly(node, [GENERATOR, root], { environment: { PATH }, onStart })
    mkdirSync(folder, { recursive: true })
    writeFileSync(stamp, source)
  }
  await oneAtATime(root, isCurrent, (onStart) => step('Generating the database client', () => generate(onStart)))
}

function digest(...paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(readFileSync(path))
  return hash.digest('hex')
}
