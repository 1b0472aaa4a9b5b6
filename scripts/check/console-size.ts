// node scripts/check/console-size.ts    builds the console if it has changed, and fails where a part is over its budget
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { generateCode } from '../setup/generated-code.mjs'

/** Kilobytes of script and style, gzip. What a browser loads before a person can use the first screen. */
const FIRST_LOAD_KB = 145
/** The first load with the composite widgets, which follow after the first paint. */
const WITH_COMPOSITES_KB = 200
/** A screen of its own, whatever it imports that no other part has. */
const SCREEN_KB = 30
/** Of a library that one screen alone needs, besides. */
const LIBRARY_KB: Readonly<Record<string, number>> = { metrics: 25 }

const root = resolve(import.meta.dirname, '../..')
await generateCode(root, process.execPath)
const folder = join(root, 'console/dist/assets')
const sizes = new Map(
  readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => [name, gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1024]),
)

const page = readFileSync(join(root, 'console/dist/index.html'), 'utf8')
const first = [...sizes.keys()].filter((name) => page.includes(name))
/** The overview, its style, and what it imports before it runs. */
const overview = closureOf([...sizes.keys()].filter((name) => name.startsWith('overview-screen')))
const firstLoad = new Set([...closureOf(first), ...overview])
const composites = closureOf([...sizes.keys()].filter((name) => /^(menu-composite|palette)-/.test(name)))
const withComposites = new Set([...firstLoad, ...composites])

const problems: string[] = []
report('first load, with the overview', firstLoad, FIRST_LOAD_KB)
report('the same with composite widgets', withComposites, WITH_COMPOSITES_KB)
for (const name of sizes.keys()) {
  if (!/-screen-.*\.js$/.test(name)) continue
  const own = [...closureOf([name])].filter((each) => !withComposites.has(each))
  const screen = name.replace(/-screen-.*/, '')
  report(screen, new Set(own), SCREEN_KB + (LIBRARY_KB[screen] ?? 0))
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function report(what: string, names: ReadonlySet<string>, limit: number): void {
  const size = [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
  console.log(`${what}: ${size.toFixed(1)} KB of ${limit}`)
  if (size > limit) problems.push(`Over its budget of ${limit} KB: ${what} has ${size.toFixed(1)} KB`)
}

/** With everything that they import statically: what is loaded with them. */
function closureOf(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name) || !sizes.has(name)) return
    found.add(name)
    if (!name.endsWith('.js')) return
    const source = readFileSync(join(folder, name), 'utf8')
    for (const [, imported = ''] of source.matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g)) visit(imported)
  }
  for (const name of names) visit(name)
  return found
}
