// npm run check compares; node scripts/settings-table.ts prints the settings into docs/configuration.md
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SETTINGS } from '../src/config/settings.ts'

const PAGE = join(import.meta.dirname, '../docs/configuration.md')
const BLOCK = /<!-- settings -->.*<!-- \/settings -->/s
const UNITS: Readonly<Record<string, string>> = { SECONDS: 's', HOURS: 'h', KB: 'KB', MB: 'MB' }

interface Property {
  description?: string
  default?: unknown
  enum?: readonly string[]
  minimum?: number
  maximum?: number
}

function table(): string {
  const { properties = {} } = z.toJSONSchema(SETTINGS, { io: 'input' })
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '', default: fallback = '' } = property as Property
    const shown = fallback === '' ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${shown} | ${allowed(name, property as Property)} | ${description.replaceAll('<', '&lt;')} |`
  })
  return ['| Setting | Default | Allowed | Description |', '|---|---|---|---|', ...rows].join('\n')
}

/** The range with its unit, or the choices; empty where any text of the right form will do. */
function allowed(name: string, { enum: choices, minimum, maximum }: Property): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ')
  if (minimum === undefined || maximum === undefined) return ''
  const unit = UNITS[name.split('_').at(-1) ?? '']
  return `${minimum}–${maximum}${unit ? ` ${unit}` : ''}`
}

const page = readFileSync(PAGE, 'utf8')
if (!BLOCK.test(page)) throw new Error(`${PAGE} has no <!-- settings --> … <!-- /settings --> to print the table into`)
const current = page.replace(BLOCK, () => `<!-- settings -->\n${table()}\n<!-- /settings -->`)
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, current)
} else if (current !== page) {
  console.error('docs/configuration.md is out of date; run: node scripts/settings-table.ts')
  process.exitCode = 1
}
