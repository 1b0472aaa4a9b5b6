import { basename } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const SEED = 'seed.test.ts'

/** Prints how many assertions the shipped suite has made: by row of the seed, by scenario, with their time. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const project of ['main-path', 'shipped', 'shipped-apart']) {
      const own = modules.filter((module) => module.project.name === project)
      if (own.length > 0) process.stdout.write(`${countsOf(project, own).join('\n')}\n`)
    }
  }
}

function countsOf(project: string, modules: readonly TestModule[]): string[] {
  const lines = modules.flatMap((module) => {
    const tests = [...module.children.allTests()]
    const seconds = (module.diagnostic().duration / 1000).toFixed(0)
    const name = basename(module.moduleId)
    const line = `  ${name}: ${sum(tests)} assertions in ${tests.length} tests, ${seconds} s`
    return name === SEED ? [line, ...rowsOf(tests)] : [line]
  })
  const all = modules.flatMap((module) => [...module.children.allTests()])
  return [`${project}: ${sum(all)} assertions`, ...lines]
}

/** `§2.1  name 3, accountId 3, …` */
function rowsOf(tests: readonly TestCase[]): string[] {
  const sections = Map.groupBy(tests, ({ name }) => /^\d(\.\d)?/.exec(name)?.[0] ?? '')
  return [...sections].map(([section, rows]) => {
    const counts = rows.map((row) => `${row.name.slice(section.length + 1)} ${row.meta().assertions ?? 0}`)
    return `    §${section}  ${sum(rows)} assertions: ${counts.join(', ')}`
  })
}

const sum = (tests: readonly TestCase[]): number =>
  tests.reduce((total, test) => total + (test.meta().assertions ?? 0), 0)
