import { describe, expect, test } from 'vitest'
import { importCompose } from '../../src/solutions/compose/import-compose.ts'
import { planSolution } from '../../src/solutions/plan.ts'
import { PLANNED, REFUSED } from './compose/files.ts'

const place = { accountId: 'acc_1', accountSlug: 'acme', appName: 'Mine', region: 'local' }
const problemsOf = (text: string) => importCompose(text, { A: 'x'.repeat(4_096) }).problems

describe('the compose file of', () => {
  test.each(PLANNED)('$name becomes the plan that is recorded', ({ text, variables = {} }) => {
    const { solution, values, problems } = importCompose(text, variables)
    expect(problems).toEqual([])
    if (!solution) throw new Error('no solution')
    expect({ plan: planSolution(solution, values, place), note: solution.postInstallNote }).toMatchSnapshot()
    // What is secret is a value, and no part of what is shown.
    expect(JSON.stringify(solution)).not.toContain('canary')
  })

  test.each(REFUSED)('$name is refused, everything at once', ({ text, variables = {}, refusals }) => {
    const { solution, problems } = importCompose(text, variables)
    expect(solution).toBeNull()
    expect(problems.map(({ field, message }) => `${field}: ${message}`).sort()).toEqual([...refusals].sort())
  })
})

describe('a text is refused', () => {
  test.each([
    ['that is no YAML', 'services: [', /is no YAML/],
    ['that says where it is none', 'services:\n  a: b\n  c: [', /is no YAML on line 3/],
    ['with a line that nobody reads', `services: ${'? - '.repeat(1_000)}`, /more than 2048 characters on line 1/],
    ['whose names are lists', `services:\n  ${'? - '.repeat(400)}a`, /a list or an object for the name of a field/],
    [
      'whose variables become too long',
      `services: {a: {image: "a", ports: [1], command: [${'"$A",'.repeat(100)}]}}`,
      /262144 characters/,
    ],
    ['without services', 'version: "3"', /at least one service/],
    ['that is a list', '[]', /at least one service/],
    ['whose aliases multiply', bomb(), /is no YAML/],
    ['with more services than an installation has', many(11), /has 11 services; at most 10/],
    [
      'with a cycle',
      'services: {a: {image: "a", ports: [1], depends_on: [b]}, b: {image: "b", ports: [1], depends_on: [a]}}',
      /depend on each other/,
    ],
    ['with a field that nobody knows', 'services: {a: {image: "a", ports: [1], colour: red}}', /is not supported/],
    ['with UDP', 'services: {a: {image: "a", ports: ["53:53/udp"]}}', /only TCP/],
    ['with two volumes', 'services: {a: {image: "a", ports: [1], volumes: ["x:/x", "y:/y"]}}', /one volume/],
    ['with a check that is no command', check('{ test: [curl, localhost] }'), /begins with CMD and a program/],
    ['with a check of two texts', check('{ test: [CMD-SHELL, a, b] }'), /begins with CMD and a program/],
    ['with a check that takes too long', check('{ test: a, timeout: 2m }'), /must be a duration of at most 60s/],
    ['with a check at no interval', check('{ test: a, interval: often }'), /must be a duration of at most 3600s/],
    ['with a check that is never repeated', check('{ test: a, retries: 0 }'), /must be 1 to 100/],
    ['with a check of another kind', check('{ test: a, every: 1s }'), /is not supported/],
    ['with a service that is text', 'services: {a: b}', /must be an object/],
  ])('%s', (_what, text, message) => {
    expect(
      problemsOf(text)
        .map((one) => one.message)
        .join('\n'),
    ).toMatch(message)
  })
})

function check(healthcheck: string): string {
  return `services: {a: {image: "a", ports: [1], healthcheck: ${healthcheck}}}`
}

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1) {
    const alias = `*a${level - 1}`
    lines.push(`a${level}: &a${level} [${Array(9).fill(alias).join(', ')}]`)
  }
  return [...lines, 'services: *a8'].join('\n')
}

function many(count: number): string {
  const services = Array.from({ length: count }, (_, number) => `  s${number}: { image: nginx, ports: [80] }`)
  return ['services:', ...services].join('\n')
}
