import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { oneAtATime } from './one-at-a-time.mjs'
import { runQuietly, step } from './step.mjs'

/** Generates the database client whenever the schema or the generator has changed. */
export async function generateCode(root, node) {
  const folder = join(root, 'src', 'database', 'generated')
  const stamp = join(folder, 'source.sha256')
  const source = digest(
    join(root, 'prisma', 'schema.prisma'),
    join(root, 'node_modules', 'prisma', 'package.json'),
    join(root, 'node_modules', '@pothos', 'plugin-prisma', 'package.json'),
  )
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === source
  const generate = async (onStart) => {
    // Prisma searches the PATH for its generators, and sends an update check unless disabled.
    const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`
    const environment = { PATH, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' }
    const prisma = join(root, 'node_modules', 'prisma', 'build', 'index.js')
    await runQuietly(node, [prisma, 'generate'], { environment, onStart })
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
