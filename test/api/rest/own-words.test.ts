import { describe, expect, test } from 'vitest'
import { queryReader } from '../../../src/api/rest/protocol/query.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { parseInput } from '../../../src/calls/perform.ts'
import { DomainError, type FieldProblem } from '../../../src/domain/errors.ts'

/** A wrong type, too little, too much or none of the choices, for any field. */
const WRONG = [
  '',
  'x y\n',
  'x'.repeat(70_000),
  '-1',
  '0.5',
  '99999999999',
  'COBOL',
  -1,
  0,
  0.5,
  1e12,
  Number.POSITIVE_INFINITY,
  true,
  null,
  [],
  [1],
  [''],
  ['x', 'x'],
  new Array(2000).fill('x'),
  [{}],
  [{ name: 1, value: 1, type: 'x', isSecret: 'x' }],
  {},
  { colour: 'red' },
  { '?': 1 },
  { 'X-A': 'ä' },
  { command: '', args: [1], shell: 'x', workingDir: 'x' },
  { timeoutSeconds: -1, minScale: 1e9, concurrencyPolicy: 'x' },
  { backoffLimit: 'x', maxConcurrency: 0.5 },
]

const LIBRARY_WORDS = /expected|received|Invalid|Too (small|big)|Unrecognized/

const schemaOf = (route: (typeof routes)[number]) => ('read' in route ? route.read.query : route.command.input)

function problemsOf(call: () => unknown): FieldProblem[] {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return error.details.fields ?? []
  }
  return []
}

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  const schema = schemaOf(route)

  test('refuses with Berth’s own messages, and calls only missing fields required', () => {
    for (const field of [...Object.keys(schema.shape), 'colour']) {
      for (const wrong of WRONG) {
        const problems = problemsOf(() => parseInput(schema, { [field]: wrong }))
        for (const { message } of problems) expect(message).not.toMatch(LIBRARY_WORDS)
        expect(problems).not.toContainEqual({ field, message: 'is required' })
      }
    }
  })

  test('does the same for a query', () => {
    const read = queryReader(schema)
    for (const field of Object.keys(schema.shape)) {
      for (const wrong of ['', 'maybe', '-1', '0.5', '99999999999', 'x'.repeat(70_000)]) {
        const problems = problemsOf(() => parseInput(schema, read(new URLSearchParams({ [field]: wrong }))))
        for (const { message } of problems) expect(message).not.toMatch(LIBRARY_WORDS)
        expect(problems).not.toContainEqual({ field, message: 'is required' })
      }
    }
  })
})

describe('a query', () => {
  const problemsIn = (name: string, search: string) => {
    const route = routes.find((candidate) => 'read' in candidate && candidate.read.name === name)
    if (!route) throw new Error(`No read ${name}`)
    const schema = schemaOf(route)
    return problemsOf(() => parseInput(schema, queryReader(schema)(new URLSearchParams(search))))
  }

  test.each([
    ['getAppEnv', 'decrypt=maybe', 'decrypt', 'must be true or false'],
    ['listApps', 'limit=many', 'limit', 'must be a whole number'],
    ['listApps', 'limit=1001', 'limit', 'must be at most 1000'],
    ['getAppEnvHistory', 'offset=-1', 'offset', 'must be at least 0'],
  ])('of %s with %s is refused by its rule', (name, search, field, message) => {
    expect(problemsIn(name, search)).toEqual([{ field, message }])
  })
})
