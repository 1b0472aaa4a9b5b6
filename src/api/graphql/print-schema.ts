import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { printSchema } from 'graphql'
import { schema } from './schema.ts'

const FILE = join(import.meta.dirname, '../../../schema.graphql')

/** The schema as text. GraphQL's printer omits directives on fields, so @dangerous is added. */
export function printedSchema(): string {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  const dangerous = mutations.filter((field) => field.extensions.dangerous).map((field) => field.name)
  const marked = new RegExp(`^(  (?:${dangerous.join('|')})\\(\\n(?:    .*\\n)+  \\): \\w+!?)$`, 'gm')
  return `${printSchema(schema).replaceAll(marked, '$1 @dangerous')}\n`
}

export const writeSchema = (): Promise<void> => writeFile(FILE, printedSchema())

async function main(args: string[]): Promise<void> {
  if (!args.includes('--check')) return writeSchema()
  if ((await readFile(FILE, 'utf8').catch(() => '')) === printedSchema()) return
  process.stderr.write('schema.graphql is out of date: run node src/api/graphql/print-schema.ts\n')
  process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
