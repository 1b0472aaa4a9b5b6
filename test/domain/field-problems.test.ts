import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readFields } from '../../src/domain/field-problems.ts'

const problemsOf = (schema: z.ZodType, value: unknown) =>
  readFields(z.strictObject({ it: schema }), value).problems?.map(({ field, message }) => `${field} ${message}`)

const either = z.union([z.boolean(), z.literal('auto')])
const byName = z.record(z.string().regex(/^[a-z]$/, 'is not a letter'), z.string())

describe('a wrong field', () => {
  test.each([
    [z.string(), 1, 'must be a string'],
    [z.number(), '80', 'must be a number'],
    [z.int(), '80', 'must be a whole number'],
    [z.number().int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'maybe', 'must be true or false'],
    [z.array(z.string()), {}, 'must be a list'],
    [z.object({}), [], 'must be an object'],
    [byName, null, 'must be an object'],
    [z.bigint(), 1, 'must be of the type bigint'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().gt(1), 1, 'must be more than 1'],
    [z.number().max(9), 10, 'must be at most 9'],
    [z.number().lt(9), 9, 'must be less than 9'],
    [z.number().multipleOf(3), 4, 'must be a multiple of 3'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(2), 'a', 'must be at least 2 characters long'],
    [z.string().max(2), 'abc', 'must be at most 2 characters long'],
    [z.string().length(2), 'a', 'must be exactly 2 characters long'],
    [z.string().length(2), 'abc', 'must be exactly 2 characters long'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 items'],
    [z.enum(['A', 'B']), 'C', 'must be one of A, B'],
    [z.literal('A'), 'B', 'must be A'],
    [either, 1, 'must be true or false, or must be auto'],
    [z.email(), 'a', 'must be an e-mail address'],
    [z.iso.datetime(), 'soon', 'must be an ISO 8601 time, such as 2026-11-30T12:00:00Z'],
    [z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
    [z.string().startsWith('/'), 'b', 'must begin with /'],
    [z.string().endsWith('/'), 'b', 'must end with /'],
    [z.uuid(), 'b', 'must be of the format uuid'],
    [z.string().refine(() => false), 'a', 'is not allowed'],
    [z.string().min(3, 'has words of its own'), 'a', 'has words of its own'],
  ] as const)('%# is reported by its rule', (schema, value, message) => {
    expect(problemsOf(schema, { it: value })).toEqual([`it ${message}`])
  })

  test('is required only when it is missing', () => {
    expect(problemsOf(z.email('has words of its own'), {})).toEqual(['it is required'])
    expect(problemsOf(z.enum(['A']), { it: undefined })).toEqual(['it is required'])
    expect(problemsOf(z.string(), { it: null })).toEqual(['it must be a string'])
  })

  test('is named by its path, unknown ones one by one', () => {
    expect(problemsOf(byName, { it: { a: 1, '?': 'x' } })).toEqual(['it.a must be a string', 'it.? is not a letter'])
    const list = z.array(z.strictObject({ a: z.string() }))
    expect(problemsOf(list, { it: [{ a: 'x' }, { b: 1, c: 2 }], d: 3 })).toEqual([
      'it.1.a is required',
      'it.1.b is not a field of this call',
      'it.1.c is not a field of this call',
      'd is not a field of this call',
    ])
  })
})
