import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountSlug, cliEnvNameOf, freeSlug, slugOf } from '../../src/domain/names.ts'

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

describe('slugs', () => {
  test('keep the characters that host names allow', () => {
    expect(slugOf('My Shop!')).toBe('my-shop')
    expect(slugOf('Crème brûlée')).toBe('creme-brulee')
    expect(slugOf('!!!')).toBe('')
  })

  test('are empty or a DNS label, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const slug = slugOf(name)
        expect(slug === '' || LABEL.test(slug)).toBe(true)
      }),
    )
  })

  test('never collide, and three of them fit one label', () => {
    const taken = new Set<string>()
    const longest = 'a'.repeat(100)
    for (let number = 0; number < 150; number += 1) {
      const slug = freeSlug(slugOf(longest), taken)
      expect(taken.has(slug)).toBe(false)
      taken.add(slug)
      expect(cliEnvNameOf(slug, slug, slug).length).toBeLessThanOrEqual(63)
    }
  })

  test('of accounts never begin each other at a dash, so that a name is of one account', () => {
    expect(accountSlug('a-b', new Set(['a']))).toBe('ab')
    expect(accountSlug('a', new Set(['a-b']))).toBe('a2')
    expect(accountSlug('my-shop', new Set(['my-shop']))).toBe('myshop')
    const slug = fc
      .array(fc.constantFrom('a', 'b', '2'), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join('-'))
    fc.assert(
      fc.property(fc.array(slug, { maxLength: 12 }), (names) => {
        const taken = new Set<string>()
        for (const name of names) taken.add(accountSlug(name, taken))
        expect(taken.size).toBe(names.length)
        for (const one of taken)
          for (const other of taken) expect(one !== other && `${other}-`.startsWith(`${one}-`)).toBe(false)
      }),
    )
  })
})
