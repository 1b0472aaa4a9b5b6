import { describe, expect, test } from 'vitest'
import { assertLinksLeadInside } from '../../src/builder/archive/links.ts'

const check = (links: Record<string, string>) => () => assertLinksLeadInside(new Map(Object.entries(links)))

describe('links of a source', () => {
  test.each([
    [{ a: 'b', b: 'c/d' }],
    [{ 'a/b/up': '../..', 'x/y': '../a/b/up/z' }],
    [{ dangling: 'not/there/../here' }],
  ])('may lead anywhere inside it: %j', (links) => expect(check(links)).not.toThrow())

  test.each([
    ['leads out', { 'd/e/s': '..', b: 'd/e/s/../..' }],
    ['leads out', { 'd/s': '..', 'q/r/s/t': '../../../d/s/../tmp' }],
    ['leads out', { a: '/etc' }],
    ['too many others', { a: 'b', b: 'a' }],
    ['below another link', { a: 'b', 'a/c/d': 'x' }],
  ] as const)('are refused when one %s, through others: %j', (why, links) => {
    expect(check(links)).toThrow(why)
  })

  test('may lead through 40 links, and not through 41', () => {
    const chain = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, `l${n + 1}`]))
    expect(check(chain(40))).not.toThrow()
    expect(check(chain(41))).toThrow('The link "l0" leads through too many others')
  })
})

/** Follows each link alone, name by name, as the kernel does: slow, and simple enough to be right. */
function followEach(links: ReadonlyMap<string, string>): void {
  for (const path of links.keys()) {
    const above = path.split('/').slice(0, -1)
    if (above.some((_name, at) => links.has(above.slice(0, at + 1).join('/')))) {
      throw new Error(`The link "${path}" is below another link`)
    }
    follow(path, links)
  }
}

function follow(path: string, links: ReadonlyMap<string, string>): void {
  const reached: string[] = []
  let ahead = path.split('/')
  for (let hops = 0; ahead.length > 0; ) {
    const [name = '', ...rest] = ahead
    ahead = rest
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (reached.pop() === undefined) throw new Error(`The link "${path}" leads out of the source`)
      continue
    }
    reached.push(name)
    const target = links.get(reached.join('/'))
    if (target === undefined) continue
    hops += 1
    if (hops > 40) throw new Error(`The link "${path}" leads through too many others`)
    if (target.startsWith('/')) throw new Error(`The link "${path}" leads out of the source`)
    reached.pop()
    ahead = [...target.split('/'), ...ahead]
  }
}

test('random links are judged as if each were followed alone', () => {
  const random = randomFrom(1)
  const words = new Map<string, number>()
  for (let round = 0; round < 20_000; round += 1) {
    const links = randomLinks(random)
    const [expected, found] = [outcomeOf(() => followEach(links)), outcomeOf(() => assertLinksLeadInside(links))]
    expect([found, ...links]).toEqual([expected, ...links])
    const kind = expected?.replace(/"[^"]*"/, '') ?? 'inside'
    words.set(kind, (words.get(kind) ?? 0) + 1)
  }
  // Each outcome was among them.
  expect([...words.values()].every((count) => count > 100) && words.size).toBe(4)
})

const outcomeOf = (judge: () => void): string | null => {
  try {
    judge()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Numbers from 0 to below `limit`, the same in every run (mulberry32). */
function randomFrom(seed: number) {
  let state = seed
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

function randomLinks(random: (limit: number) => number): Map<string, string> {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const names = (count: number, from: readonly string[]) => Array.from({ length: count }, () => pick(from)).join('/')
  // Long chains, of which some have more than 40 links, now and then.
  if (random(4) === 0) {
    const count = 20 + random(40)
    const target = (n: number) => (random(20) === 0 ? pick(['..', '/x', '.', `d/${n}`]) : `l${n + 1 + random(2)}`)
    return new Map(Array.from({ length: count }, (_, n) => [`l${n}`, target(n)] as const))
  }
  const targets = ['a', 'b', 'c', 'd', '..', '..', '.', '']
  const absolute = random(30) === 0
  return new Map(
    Array.from({ length: 1 + random(7) }, () => [
      names(1 + random(3), ['a', 'b', 'c', 'd']),
      (absolute && random(3) === 0 ? '/' : '') + names(1 + random(5), targets),
    ]),
  )
}
