import type { Printed } from './checklist-proof.ts'
import type { Outcome, ScratchCopy } from './scratch-copy.ts'

// The second run reads what the first has found out, and checks only what has changed since. Several threads would
// repeat much of each other's work.
const TYPES = [
  'node_modules/.bin/tsc',
  '--noEmit',
  '-p',
  '.',
  '--singleThreaded',
  '--incremental',
  '--tsBuildInfoFile',
  'types.json',
]
const DEPCRUISE = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'
const IMPORT_RULES = [
  '--import',
  './scripts/check/read-using.mjs',
  DEPCRUISE,
  '--config',
  '.dependency-cruiser.cjs',
  'src',
]
const MIGRATION = 'scripts/make-migration.ts'
const SCHEMA = 'src/api/graphql/print-schema.ts'
const SETTINGS = 'scripts/settings-table.ts'
const SOLUTIONS = 'scripts/solution-check.ts'
const PARITY = [
  '--project',
  'long',
  '--reporter',
  'verbose',
  'test/parity/parity.test.ts',
  '-t',
  'pauseAppEnv|growVolume|resizeDisk',
]
const GENERATE = `import { generateCode } from './scripts/setup/generated-code.mjs'
await generateCode(process.cwd(), process.execPath)`
const OPENAPI = `import { openApiDocument } from './src/api/rest/openapi/openapi.ts'
process.stdout.write(JSON.stringify(openApiDocument()))`

const evaluate = (program: string) => ['--input-type=module', '--eval', program]

export interface CheckedCopy {
  printed: Printed
  /** What checks say before anything is printed. */
  unprinted: Record<'schema' | 'settings' | 'solutions', Outcome>
  /** What they say once every checklist is followed to its end. */
  followed: Record<'types' | 'import rules' | 'folders' | 'migrations' | 'parity', Outcome>
  /** What they say after the steps that can be forgotten were undone. */
  forgotten: Record<'types' | 'import rules', Outcome>
}

/** Runs the project's own programs in a copy in which every checklist was followed. */
export async function checkCopy(copy: ScratchCopy, forget: () => void): Promise<CheckedCopy> {
  await copy.print(...evaluate(GENERATE))
  // The compiler takes as long as the rest together.
  const [types, database, prints] = await Promise.all([copy.run(...TYPES), migrate(copy), print(copy)])
  const followed = { types, ...database.followed, ...prints.followed }
  forget()
  const [typesThen, rulesThen] = await Promise.all([copy.run(...TYPES), copy.run(...IMPORT_RULES)])
  return {
    printed: { ...prints.printed, migration: database.migration },
    unprinted: prints.unprinted,
    followed,
    forgotten: { types: typesThen, 'import rules': rulesThen },
  }
}

async function migrate(copy: ScratchCopy) {
  const path = (await copy.print(MIGRATION, 'follow_the_checklists')).trim()
  const migrations = await copy.run(MIGRATION, '--check')
  const parity = await copy.run('node_modules/vitest/vitest.mjs', 'run', ...PARITY)
  return { followed: { migrations, parity }, migration: copy.read(path.slice(copy.root.length + 1)) }
}

async function print(copy: ScratchCopy) {
  const unprinted = {
    schema: await copy.run(SCHEMA, '--check'),
    settings: await copy.run(SETTINGS, '--check'),
    solutions: await copy.run(SOLUTIONS, '--check'),
  }
  await copy.print(SCHEMA)
  await copy.print(SETTINGS)
  await copy.print(SOLUTIONS)
  const openapi = JSON.parse(await copy.print(...evaluate(OPENAPI)))
  const followed = {
    'import rules': await copy.run(...IMPORT_RULES),
    folders: await copy.run('scripts/check/folder-graph.ts'),
  }
  const printed = {
    sdl: copy.read('schema.graphql'),
    settings: copy.read('docs/configuration.md'),
    openapi,
    solutions: copy.read('docs/solutions.md'),
  }
  return { unprinted, followed, printed }
}
