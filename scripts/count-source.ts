// node scripts/count-source.ts [folder]    what the source of this checkout, or of another one, amounts to: for comparing
// a change of its structure with what was there before.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SMALL_LINES = 20
/** Words that style.md replaces by the field's own. */
const WORDS = [
  'told',
  'tell',
  'tells',
  'lane',
  'lanes',
  'poke',
  'whoever',
  'nobody',
  'somebody',
  'everybody',
  'harbour',
]

const folder = process.argv[2] ?? join(import.meta.dirname, '..')
const listed = execFileSync('git', ['ls-files', '*.ts', '*.mts', '*.mjs'], { cwd: folder, encoding: 'utf8' })
const files = listed
  .split('\n')
  .filter(Boolean)
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
const inside = (name: string) => files.filter(({ path }) => path.startsWith(`${name}/`))
const linesOf = (text: string) => text.split('\n').length - 1
const occurrences = (pattern: RegExp, among = inside('src')) =>
  among.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0)

/** Files of src/ by path, with the files of src/ that they import. */
const imports = new Map(
  inside('src').map(({ path, text }) => [
    path,
    [...text.matchAll(/(?:from|import) '(\.{1,2}\/[^']+)'/g)].map(([, to = '']) => join(dirname(path), to)),
  ]),
)

function importersOf(): Map<string, number> {
  const counts = new Map([...imports.keys()].map((path) => [path, 0]))
  for (const to of [...imports.values()].flatMap((found) => [...new Set(found)]))
    if (counts.has(to)) counts.set(to, (counts.get(to) ?? 0) + 1)
  return counts
}

const depths = new Map<string, number>()
function depthOf(path: string): number {
  const known = depths.get(path)
  if (known !== undefined) return known
  // Imports of types may lead back; then the chain ends here.
  depths.set(path, 0)
  const depth = 1 + Math.max(0, ...(imports.get(path) ?? []).filter((to) => imports.has(to)).map(depthOf))
  depths.set(path, depth)
  return depth
}

const totals = (name: string) => {
  const found = inside(name)
  return `${found.length} files, ${found.reduce((sum, { text }) => sum + linesOf(text), 0)} lines`
}

const rows: [what: string, count: string | number][] = [
  ['src/', totals('src')],
  ['test/', totals('test')],
  ['files of src/ with one importer', [...importersOf().values()].filter((count) => count === 1).length],
  [
    `files of src/ with at most ${SMALL_LINES} lines`,
    inside('src').filter((one) => linesOf(one.text) <= SMALL_LINES).length,
  ],
  ['longest import chain of src/', Math.max(...[...imports.keys()].map(depthOf))],
  ['spreads of literals', occurrences(/\.\.\.(?:\{ |\[['"`])/g, files)],
  ['declarations of reads in REST', occurrences(/= (?:getOne|getList|read)\(\{$/gm, inside('src/api/rest/endpoints'))],
  ['declarations of reads in the services', occurrences(/= (?:\w+Query|query)\(\{$/gm, inside('src/services'))],
  [
    'fields of reads by hand in GraphQL',
    occurrences(
      /^ {2}\w+: t\.(?:prismaField|prismaConnection|connection|field)\(\{$/gm,
      inside('src/api/graphql/schema'),
    ),
  ],
  [
    'permissions of reads beside the services',
    occurrences(/^ +permission: '/gm, inside('src/api/rest')) + fieldPermissions(),
  ],
  ...WORDS.map((word): [string, number] => [`“${word}”`, occurrences(new RegExp(`\\b${word}\\b`, 'gi'))]),
]

function fieldPermissions(): number {
  const table = files.find(({ path }) => path === 'src/api/graphql/field-permissions.ts')
  return table ? occurrences(/\w+: '\w+:\w+'/g, [table]) : 0
}

const width = Math.max(...rows.map(([what]) => what.length))
for (const [what, count] of rows) console.log(`${what.padEnd(width)}  ${count}`)
