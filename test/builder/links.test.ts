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
})
