import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { graphProblems, inDependencyOrder } from '../../src/solutions/graph.ts'
import { readInputs, withGenerated } from '../../src/solutions/input-values.ts'
import { noteOf, planSolution } from '../../src/solutions/plan.ts'
import { defineSolution } from '../../src/solutions/solution.ts'
import { findSolution, SOLUTIONS } from '../../src/solutions/solutions.ts'

const place = { accountId: 'acc_1', accountSlug: 'acme', appName: 'Newsroom', region: 'local' }

/** A value for every required input, and predictable generated ones. */
function valuesOf(slug: string) {
  const solution = findSolution(slug)
  if (!solution) throw new Error(`No solution ${slug}`)
  const required = solution.inputs.filter((input) => input.required)
  const given = Object.fromEntries(
    required.map(({ name, type }) => [name, type === 'EMAIL' ? 'ada@example.com' : `given-${name}-value`]),
  )
  const { values, problems } = readInputs(solution, given)
  expect(problems).toEqual([])
  return { solution, values: withGenerated(solution, values, (length) => `generated-${length}`) }
}

describe('the plan of', () => {
  test.each(SOLUTIONS.map(({ slug }) => [slug]))('%s is as recorded, dependencies first', (slug) => {
    const { solution, values } = valuesOf(slug)
    const plan = planSolution(solution, values, place)
    const seen = new Set<string>()
    for (const { key, dependsOn } of plan) {
      for (const name of dependsOn) expect(seen).toContain(name)
      seen.add(key)
    }
    expect(plan).toMatchSnapshot()
  })
})

describe('names', () => {
  test('differ between components, also when the name of the app is cut', () => {
    const { solution, values } = valuesOf('n8n')
    const plan = planSolution(solution, values, { ...place, appName: 'The automation of everything' })
    const names = plan.map(({ app }) => app.name)
    expect(new Set(names).size).toBe(5)
    for (const name of names.filter((one) => one !== 'The automation of everything'))
      expect(name.length).toBeLessThanOrEqual(20)
  })
})

describe('inputs', () => {
  const { solution } = valuesOf('directus')

  test('are refused all at once, each by its field', () => {
    const { problems } = readInputs(solution, { adminEmail: 'nobody', adminPassword: 'short', colour: 'red' })
    expect(problems).toEqual([
      { field: 'inputs.colour', message: 'is unknown: the solution takes adminEmail, adminPassword, secret' },
      { field: 'inputs.adminEmail', message: 'must be an email address' },
      { field: 'inputs.adminPassword', message: 'must be 12 to 128 characters long' },
    ])
  })

  test('that are required are named when they are missing', () => {
    expect(readInputs(solution, {}).problems.map(({ field }) => field)).toEqual([
      'inputs.adminEmail',
      'inputs.adminPassword',
    ])
  })

  test('are text, not references, in variables', () => {
    const { values } = valuesOf('directus')
    const plan = planSolution(solution, { ...values, adminPassword: `a\${PORT}b {{db.password}}` }, place)
    const variable = plan.at(-1)?.variables.find(({ name }) => name === 'ADMIN_PASSWORD')
    expect(variable).toEqual({ name: 'ADMIN_PASSWORD', value: `a$\${PORT}b {{db.password}}`, isSecret: true })
  })

  test('of the wrong type are refused', () => {
    const queue = valuesOf('rabbitmq-queue').solution
    expect(readInputs(queue, { rate: 'many' }).problems).toEqual([
      { field: 'inputs.rate', message: 'must be a number' },
    ])
  })
})

describe('a note', () => {
  test('has the addresses of components', () => {
    const { solution, values } = valuesOf('directus')
    expect(noteOf(solution, values, (key) => `https://${key}.example.com`)).toBe(
      'Log in at https://app.example.com/admin as ada@example.com.',
    )
  })
})

describe('a file of the catalogue is refused', () => {
  const main = {
    key: 'app',
    name: 'App',
    isMain: true,
    dockerPreset: 'CUSTOM',
    image: 'nginx:1.27',
    port: 80,
  }
  const db = { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL' }
  const source = (changes: object): Parameters<typeof defineSolution>[0] => ({
    slug: 'sample',
    name: 'Sample',
    description: 'A sample.',
    category: 'CONTENT',
    revision: 1,
    components: [main],
    smokeTest: { component: 'app', path: '/', status: 200 },
    ...changes,
  })

  test.each([
    [
      'a cycle',
      {
        components: [
          { ...main, dependsOn: ['b'] },
          { ...main, key: 'b', isMain: false, dependsOn: ['app'] },
        ],
      },
      'depend on each other: app, b',
    ],
    [
      'an unknown dependency',
      { components: [{ ...main, dependsOn: ['db'] }] },
      'app depends on db, which is no component',
    ],
    [
      'a key that is there twice',
      { components: [main, { ...main, isMain: false }] },
      'the component app is there twice',
    ],
    ['no main component', { components: [{ ...main, isMain: false }] }, 'exactly one component is the main one'],
    ['an unknown preset', { components: [{ ...main, dockerPreset: 'COBOL' }] }, 'there is no preset COBOL'],
    ['an app without an image', { components: [{ ...main, image: undefined }] }, 'either image or build is required'],
    ['a tag that moves', { components: [{ ...main, image: 'nginx:latest' }] }, 'a tag that names a version'],
    ['an image without a tag', { components: [{ ...main, image: 'nginx' }] }, 'a tag that names a version'],
    [
      'a service that waits',
      { components: [main, { ...db, dependsOn: ['app'] }] },
      'a managed service depends on nothing',
    ],
    [
      'an unknown input in a variable',
      { components: [{ ...main, variables: { A: '{{inputs.x}}' } }] },
      'app.A refers to x',
    ],
    [
      'an unknown component in a variable',
      { components: [{ ...main, variables: { A: '{{db.host}}' } }] },
      'app.A refers to db',
    ],
    [
      'a broken template',
      { components: [{ ...main, variables: { A: '{{db.secret}}' } }] },
      '{{db.secret}} is no template',
    ],
    [
      'a note that shows a password',
      { components: [main, db], postInstallNote: '{{db.password}}' },
      'postInstallNote shows db',
    ],
    [
      'a note that shows a secret',
      { inputs: [{ name: 'key', label: 'Key', type: 'STRING', secret: true }], postInstallNote: '{{inputs.key}}' },
      'postInstallNote shows key',
    ],
    [
      'a secret with a default',
      { inputs: [{ name: 'key', label: 'Key', type: 'STRING', secret: true, default: 'x' }] },
      'a secret has no default',
    ],
    [
      'a smoke test of nothing',
      { smokeTest: { component: 'db', path: '/', status: 200 } },
      'smokeTest names no component: db',
    ],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('for %s', (_what, changes, message) => {
    expect(() => defineSolution(source(changes))).toThrow(message)
  })
})

describe('dependency order', () => {
  test('keeps the order of declaration where the graph allows', () => {
    const nodes = [
      { key: 'web', dependsOn: ['db', 'queue'] },
      { key: 'db', dependsOn: [] },
      { key: 'queue', dependsOn: [] },
      { key: 'worker', dependsOn: ['web'] },
    ]
    expect(inDependencyOrder(nodes).map(({ key }) => key)).toEqual(['db', 'queue', 'web', 'worker'])
    expect(graphProblems(nodes)).toEqual([])
  })
})

test('docs/solutions.md is what npm run solution:check prints, and every plan is accepted by createApp', () => {
  const root = join(import.meta.dirname, '../..')
  execFileSync(process.execPath, [join(root, 'scripts/solution-check.ts'), '--check'], { cwd: root })
})
