// npm run check compares; node scripts/settings-table.ts writes the table of settings into README.md
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SETTINGS } from '../src/config/config.ts'

const README = join(import.meta.dirname, '../README.md')
const BLOCK = /<!-- settings -->.*<!-- \/settings -->/s

interface Property {
  description?: string
  default?: unknown
}

function table(): string {
  const { properties = {} } = z.toJSONSchema(SETTINGS, { io: 'input' })
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '', default: fallback } = property as Property
    return `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description} |`
  })
  return ['| Setting | Default | What it is for |', '|---|---|---|', ...rows].join('\n')
}

const readme = readFileSync(README, 'utf8')
if (!BLOCK.test(readme)) throw new Error('README.md has no <!-- settings --> … <!-- /settings --> to put the table in')
const current = readme.replace(BLOCK, () => `<!-- settings -->\n${table()}\n<!-- /settings -->`)
if (!process.argv.includes('--check')) {
  writeFileSync(README, current)
} else if (current !== readme) {
  console.error('The table is out of date; run: node scripts/settings-table.ts')
  process.exitCode = 1
}
