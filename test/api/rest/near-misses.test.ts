import { afterAll, describe, expect, test } from 'vitest'
import { readJsonObject } from '../../../src/api/http/request-body.ts'
import type { WriteRoute } from '../../../src/api/rest/protocol/route.ts'
import { nearPaths } from '../../../src/api/rest/router.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { inputOf } from '../../../src/calls/perform.ts'
import { DomainError, notFound } from '../../../src/domain/errors.ts'
import { type IdPrefix, newId } from '../../../src/domain/ids.ts'
import { nearNames } from '../../../src/domain/near-names.ts'

// A mistake in a name is answered with what was meant: fields, ids, paths, values, and where JSON breaks off.

let cells = 0
afterAll(() => console.info(`Near misses: ${cells} cells`))

const writes = routes.filter((route): route is WriteRoute => 'command' in route)

function problemsOf({ command }: WriteRoute, sent: Record<string, unknown>): Map<string, string> {
  try {
    inputOf(command, sent)
  } catch (error) {
    if (error instanceof DomainError) return new Map(error.details.fields?.map((one) => [one.field, one.message]))
    throw error
  }
  return new Map()
}

/** Two letters changed places: the most common slip. */
const mistyped = (name: string) => name.slice(0, 1) + name.slice(2, 3) + name.slice(1, 2) + name.slice(3)

test('every input field of every write is named when it is mistyped', () => {
  const silent: string[] = []
  for (const route of writes)
    for (const field of Object.keys(route.command.input.shape)) {
      const wrong = mistyped(field)
      if (wrong in route.command.input.shape || wrong === field) continue
      cells += 1
      const message = problemsOf(route, { [wrong]: 'x' }).get(wrong) ?? ''
      if (!message.includes('did you mean') || !message.includes(field))
        silent.push(`${route.command.name}.${wrong}: ${message}`)
    }
  expect(silent).toEqual([])
})

test('a nested field is named too', () => {
  const route = writes.find(({ command }) => command.name === 'createAppEnv') as WriteRoute
  const problems = problemsOf(route, { startupConfig: { comand: 'x' }, envVars: [{ nmae: 'A', value: 'b' }] })
  expect(problems.get('startupConfig.comand')).toBe('is not a field of this call; did you mean command?')
  expect(problems.get('envVars.0.nmae')).toBe('is not a field of this call; did you mean name?')
})

test('every required list of values is in the message when it is missing', () => {
  let listed = 0
  for (const route of writes)
    for (const [field, message] of problemsOf(route, {})) {
      const { entries } = (route.command.input.shape[field]?._zod.def ?? {}) as { entries?: Record<string, string> }
      if (!entries || Object.keys(entries).length < 2) continue
      cells += 1
      listed += 1
      expect(message, `${route.command.name}.${field}`).toBe(`is required: one of ${Object.values(entries).join(', ')}`)
    }
  expect(listed).toBeGreaterThan(2)
})

const NOUNS: readonly [string, IdPrefix][] = [
  ['account', 'acc'],
  ['user', 'usr'],
  ['app', 'app'],
  ['app environment', 'env'],
  ['deployment', 'con'],
  ['operation', 'op'],
  ['host', 'host'],
  ['token', 'tok'],
  ['credential', 'cred'],
  ['volume', 'vol'],
  ['backup', 'bak'],
  ['job run', 'run'],
  ['webhook', 'hook'],
  ['git hook', 'ghook'],
  ['invitation', 'inv'],
]

test('an id of each noun in place of each other is named', () => {
  for (const [wanted, own] of NOUNS)
    for (const [noun, prefix] of NOUNS) {
      cells += 1
      const id = newId(prefix)
      const { code, message } = notFound(wanted, id)
      expect(code).toBe('NOT_FOUND')
      if (own === prefix) expect(message).toBe(`There is no ${wanted} "${id}"`)
      else expect(message).toMatch(new RegExp(`that is the id of an? ${noun} .*begins with ${own}_$`))
    }
  expect(notFound('app environment', 'default-shop-live').message).toBe(
    'There is no app environment "default-shop-live"',
  )
})

test('every path is named, with its methods, when it is mistyped or lacks its prefix', () => {
  for (const { method, path } of routes) {
    const address = `/api/public/v1${path}`
    for (const wrong of [`/api/public/v1${path.slice(0, 3)}${path.slice(2)}`, `${address}/`, path, `/api/v1${path}`]) {
      cells += 1
      const hint = nearPaths(wrong) ?? ''
      expect(hint, wrong).toContain(address)
      if (wrong !== `/api/public/v1${path.slice(0, 3)}${path.slice(2)}`) expect(hint).toContain(method)
    }
  }
  expect(nearPaths('/wp-login.php')).toBeNull()
})

test('a text beyond the bound is not compared', () => {
  const long = 'x'.repeat(101)
  expect(nearNames(long, [`${long}y`])).toEqual([])
  expect(nearNames('prot', ['port', 'name'])).toEqual(['port'])
})

describe('the position of a mistake in JSON', () => {
  test.each([
    ['{"a": b}', 'line 1, column 7 (offset 6)'],
    ['{"a": 1,}', 'line 1, column 9 (offset 8)'],
    ['{\n "a": 1,\n "b": tru\n}', 'line 3, column 7 (offset 17)'],
    ['{"a": 1', 'line 1, column 8 (offset 7)'],
    ["{'a': 1}", 'line 1, column 2 (offset 1)'],
    ['// no\n{}', 'line 1, column 1 (offset 0)'],
  ])('is said of %j', async (body, place) => {
    cells += 1
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://berth.test/', { method: 'POST', headers, body })
    const refused = await readJsonObject(request, 64).catch((error: Error) => error)
    expect((refused as Error).message).toBe(`body: is not valid JSON at ${place}`)
  })

  test('is left out of what nests too deep', async () => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://berth.test/', { method: 'POST', headers, body: '['.repeat(500_000) })
    const refused = await readJsonObject(request, 1024).catch((error: Error) => error)
    expect((refused as Error).message).toMatch(/^body: is not valid JSON/)
  })
})
