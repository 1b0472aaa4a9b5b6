import { describe, expect, test } from 'vitest'
import { createNormaliser, UNKNOWN_SUFFIX } from './normalise.ts'

const ONE = 'app_01kaw3n5zvfjxbyrqc8t3a2e4d'
const TWO = 'app_01kaw3n5zvfjxbyrqc8t3a2e4e'
const origin = 'http://127.0.0.1:40123'
const now = new Date('2026-11-22T12:00:00Z')

const fresh = () => createNormaliser({ origin, now })
const normalise = (text: string) => fresh().text(text)

describe('what differs from run to run has a name', () => {
  test('ids are numbered by kind, in the order of first appearance', () => {
    const { text } = fresh()
    expect(text(`${TWO} ${ONE} ${TWO} env_01kaw3n5zvfjxbyrqc8t3a2e4d`)).toBe('<app-1> <app-2> <app-1> <env-1>')
    expect(text(ONE)).toBe('<app-2>')
  })

  test('present times, secrets, hashes, request ids and the address', () => {
    expect(normalise('"2026-11-22T11:59:58.123Z"')).toBe('"<time>"')
    expect(normalise(`berth_u_${'a1'.repeat(24)}`)).toBe('berth_u_<secret>')
    expect(normalise(`{"hash":"${'0f'.repeat(32)}"}`)).toBe('{"hash":"<hash>"}')
    expect(normalise('req_0b54c1f0-5d0a-4c4e-9a53-0d4a6f2a1c11')).toBe('<request-id>')
    expect(normalise(`${origin}/api?secret=${'x'.repeat(43)}`)).toBe('<origin>/api?secret=<secret>')
    expect(normalise(`berth-verify=${'0f'.repeat(32)}`)).toBe('berth-verify=<proof>')
  })

  test('cursors show what they hold', () => {
    const cursor = Buffer.from(`GPC:S:${ONE}`).toString('base64')
    expect(normalise(`{"cursor":"${cursor}"}`)).toBe('{"cursor":"<cursor GPC:S:<app-1>>"}')
    const pair = Buffer.from(`GPC:T:["S:${ONE}","S:${TWO}"]`).toString('base64')
    expect(JSON.parse(normalise(`["${pair}"]`))).toEqual(['<cursor GPC:T:["S:<app-1>","S:<app-2>"]>'])
  })

  test('the hash of an ETag, and the rest of a budget', () => {
    const { header } = fresh()
    expect(header('etag', '"v3-AbCdEfGhIjKlMn_-"')).toBe('"v3-<hash>"')
    expect(header('etag', '"AbCdEfGhIjKlMn_-"')).toBe('"<hash>"')
    expect(header('ratelimit', '"requests";r=5995;t=48')).toBe('"requests";r=<n>;t=<seconds>')
    expect(header('retry-after', '59')).toBe('<seconds>')
    expect(normalise('{"retryAfterSeconds":60}')).toBe('{"retryAfterSeconds":"<seconds>"}')
  })
})

describe('a real difference is not hidden', () => {
  const kept = (text: string) => expect(normalise(text)).toBe(text)

  test('other ids in the same places', () => {
    expect(normalise(`${ONE} ${ONE}`)).not.toBe(normalise(`${ONE} ${TWO}`))
    expect(normalise(ONE)).not.toBe(normalise(ONE.replace('app_', 'env_')))
  })

  test('an id of another shape: a new prefix, upper case, shorter or longer', () => {
    for (const id of [
      ONE.replace('app_', 'application_'),
      ONE.toUpperCase(),
      ONE.slice(0, -1),
      `${ONE}0`,
      ONE.replace('_', '-'),
    ])
      kept(id)
  })

  test('the id that scripts send for something that does not exist', () => kept(`env_${UNKNOWN_SUFFIX}`))

  test('times that a script chose, and times in another format', () => {
    for (const time of [
      '2021-05-06T07:08:09.000Z',
      '2099-01-01T00:00:00.000Z',
      '2026-11-22T11:59:58Z',
      '2026-11-22T11:59:58.123+00:00',
      '2026-11-22 11:59:58.123Z',
      '1763812798123',
    ])
      kept(time)
  })

  test('a secret or a hash of another shape or in another place', () => {
    kept(`berth_u_${'a1'.repeat(23)}`)
    kept(`berth_x_${'a1'.repeat(24)}`)
    kept(`sha256:${'a'.repeat(64)}`)
    kept(`{"sha256":"${'0f'.repeat(32)}"}`)
    kept('***SECRET***')
  })

  test('the version of an ETag, its lack and a weak one', () => {
    const { header } = fresh()
    const shapes = [
      '"v3-AbCdEfGhIjKlMn_-"',
      '"v4-AbCdEfGhIjKlMn_-"',
      '"AbCdEfGhIjKlMn_-"',
      'W/"AbCdEfGhIjKlMn_-"',
      '"v3"',
    ]
    expect(new Set(shapes.map((etag) => header('etag', etag))).size).toBe(shapes.length)
    expect(header('retry-after', '5')).toBe('5')
    expect(header('x-other', '"AbCdEfGhIjKlMn_-"')).toBe('"AbCdEfGhIjKlMn_-"')
  })

  test('a cursor that holds something else', () => {
    const cursor = (value: string) => Buffer.from(`GPC:S:${value}`).toString('base64')
    expect(normalise(cursor(ONE))).not.toBe(normalise(cursor('3')))
    kept('live.12 1620284889000000000.3')
  })

  test('the order of keys, white space, numbers, null and what is missing', () => {
    const bodies = ['{"a":1,"b":null}', '{"b":null,"a":1}', '{"a":1, "b":null}', '{"a":1.0,"b":null}', '{"a":1}']
    expect(new Set(bodies.map(normalise)).size).toBe(bodies.length)
    for (const body of bodies) kept(body)
  })
})
