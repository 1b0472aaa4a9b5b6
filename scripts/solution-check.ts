// npm run solution:check     validates every solution and prints docs/solutions.md; --check only compares
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseInput } from '../src/calls/perform.ts'
import { createAppInput } from '../src/services/app/app-input.ts'
import { checkCreation } from '../src/services/app/app-rules.ts'
import { createAppEnvInput } from '../src/services/app-env/app-env-input.ts'
import { planSolution } from '../src/solutions/plan.ts'
import type { Solution } from '../src/solutions/solution.ts'
import { SOLUTIONS } from '../src/solutions/solutions.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/solutions.md')
const CATALOGUE = join(ROOT, 'src/solutions/catalogue')

const HEAD = `# Solutions

Apps that belong together, installed by one call: \`POST /solutions\` or the mutation \`installSolution\`. An arrow leads
from a component to what it waits for. [Design](design/solutions.md) explains how an installation goes on where it failed.

<!-- Printed by npm run solution:check; change the files in src/solutions/catalogue/ instead. -->
`

/** Importing the catalogue has checked each file by itself; this checks it against what createApp and createAppEnv take. */
function check(solution: Solution): void {
  const place = { accountId: 'acc', accountSlug: 'acme', appName: solution.name, region: 'local' }
  const values = Object.fromEntries(solution.inputs.map(({ name }) => [name, 'value']))
  for (const { app, appEnv } of planSolution(solution, values, place)) {
    checkCreation(parseInput(createAppInput, app))
    parseInput(createAppEnvInput, { ...appEnv, appId: 'app' })
  }
}

function pageOf(solutions: readonly Solution[]): string {
  const sections = solutions.map(sectionOf)
  return [HEAD, ...sections].join('\n')
}

function sectionOf({ name, slug, description, requiresSandbox, inputs, components }: Solution): string {
  const edges = components.flatMap(({ key, dependsOn }) => dependsOn.map((other) => `  ${key} --> ${other}`))
  const nodes = components.map((one) => `  ${one.key}["${one.name} (${one.image ?? one.dockerPreset})"]`)
  const rows = inputs.map((one) => {
    const value = one.required ? 'required' : one.generated ? 'random' : `\`${one.default ?? ''}\``
    return `| \`${one.name}\` | ${one.label} | ${value} |`
  })
  const table = rows.length > 0 ? ['', '| Input | What it is | Unless given |', '|---|---|---|', ...rows] : []
  return [
    `## ${name}`,
    '',
    `\`${slug}\`: ${description}${requiresSandbox ? ' Needs the sandbox.' : ''}`,
    ...table,
    '',
    '```mermaid',
    'graph LR',
    ...nodes,
    ...edges,
    '```',
    '',
  ].join('\n')
}

const files = readdirSync(CATALOGUE).filter((name) => name.endsWith('.ts'))
if (files.length !== SOLUTIONS.length) {
  throw new Error(`src/solutions/catalogue has ${files.length} files, src/solutions/solutions.ts ${SOLUTIONS.length}`)
}
for (const solution of SOLUTIONS) check(solution)
const page = pageOf(SOLUTIONS)
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, page)
  console.log(`${SOLUTIONS.length} solutions are valid; docs/solutions.md is printed`)
} else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/solutions.md is out of date; run: npm run solution:check')
  process.exitCode = 1
}
