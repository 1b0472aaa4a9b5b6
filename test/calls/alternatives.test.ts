import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  alternativeProblems,
  alternativesInWords,
  atLeastOneOf,
  exactlyOneOf,
  heldToRules,
  isOneField,
} from '../../src/calls/alternatives.ts'
import { parseInput } from '../../src/calls/perform.ts'
import { DomainError } from '../../src/domain/errors.ts'

const text = () => z.string().optional()
const target = atLeastOneOf({ id: text(), name: text() })
const proof = exactlyOneOf({ code: text(), token: text() })
const input = z.strictObject({ ...target, ...proof, size: z.number().optional() })

const refusal = (given: object) => {
  try {
    parseInput(input, given)
    return 'accepted'
  } catch (error) {
    return error instanceof DomainError ? error.message : error
  }
}

test.each([
  [{ id: 'a', code: 'b' }, 'accepted'],
  [{ id: 'a', name: 'b', token: 'c' }, 'accepted'],
  [{ token: 'c' }, 'id: is required, unless name is sent'],
  [{ id: 'a' }, 'code: is required, unless token is sent'],
  [{ id: 'a', code: 'b', token: 'c' }, 'token: is not sent together with code: send one of them'],
  [{}, 'id: is required, unless name is sent; code: is required, unless token is sent'],
])('%j is %s', (given, outcome) => {
  expect(refusal(given)).toBe(outcome)
})

test('an input that has some of the fields, or copies of them, is not held to the rule', () => {
  expect(alternativeProblems({ id: target.id }, {})).toEqual([])
  expect(alternativeProblems({ id: target.id.describe('Another one.'), name: target.name }, {})).toEqual([])
})

describe('readers', () => {
  test('are given the rules as sentences, with their own names of the fields', () => {
    expect(alternativesInWords(input.shape)).toEqual([
      'One of `id` and `name` is required.',
      'Send exactly one of `code` and `token`.',
    ])
    const nameOf = (field: string) => (field === 'name' ? null : field.toUpperCase())
    expect(alternativesInWords(input.shape, nameOf)).toEqual(['Send exactly one of `CODE` and `TOKEN`.'])
  })

  test('are given a type of its own only for an object that is one of its fields', () => {
    expect([isOneField(proof), isOneField(target), isOneField(input.shape)]).toEqual([true, false, false])
  })
})

test('an object within an input is held to its rules', () => {
  const nested = heldToRules(z.strictObject(proof))
  const [none, both] = [{}, { code: 'a', token: 'b' }].map((given) => nested.safeParse(given).error?.issues)
  expect(none).toMatchObject([{ path: ['code'], message: 'is required, unless token is sent' }])
  expect(both).toMatchObject([{ path: ['token'] }])
  expect(nested.safeParse({ code: 'a' }).success).toBe(true)
})
