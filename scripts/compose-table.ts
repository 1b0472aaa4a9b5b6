// npm run check compares; node scripts/compose-table.ts prints the fate of each field into docs/compose.md
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FATES } from '../src/solutions/compose/fates.ts'

const PAGE = join(import.meta.dirname, '../docs/compose.md')
const BLOCK = /<!-- fields -->.*<!-- \/fields -->/s

const rows = Object.entries(FATES).map(([field, { fate, about, allows = [] }]) => {
  const except = allows.length === 0 ? '' : ` (except ${allows.map((one) => `\`${one}\``).join(', ')})`
  return `| \`${field}\` | ${fate}${except} | ${about.replaceAll('<', '&lt;')} |`
})
const table = ['| Field | Fate | What that means |', '|---|---|---|', ...rows].join('\n')

const page = readFileSync(PAGE, 'utf8')
if (!BLOCK.test(page)) throw new Error(`${PAGE} has no <!-- fields --> … <!-- /fields --> to print the table into`)
const current = page.replace(BLOCK, () => `<!-- fields -->\n${table}\n<!-- /fields -->`)
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, current)
} else if (current !== page) {
  console.error('docs/compose.md is out of date; run: node scripts/compose-table.ts')
  process.exitCode = 1
}
