import type { z } from 'zod'
import type { FieldProblem } from '../domain/errors.ts'

// "One of these fields" is declared once, beside the fields: the check of inputs, OpenAPI and GraphQL read it here.

/** Optional fields of an input of which one is needed. */
interface Alternatives {
  names: readonly string[]
  /** Whether only one of them may be sent. */
  isExclusive: boolean
}

interface Declared extends Alternatives {
  fields: z.ZodRawShape
  /** What helps a caller that has sent none. */
  hint: string
}

/** By each of their schemas: whatever input has all of them is held to the rule, and a copy of one (`.describe`) is not. */
const declared = new WeakMap<z.core.$ZodType, Declared>()

function declare<Fields extends z.ZodRawShape>(fields: Fields, isExclusive: boolean, hint = ''): Fields {
  const rule = { names: Object.keys(fields), isExclusive, fields, hint }
  for (const schema of Object.values(fields)) declared.set(schema, rule)
  return fields
}

/** One of these fields is required; which of several counts, their descriptions say. */
export const atLeastOneOf = <Fields extends z.ZodRawShape>(fields: Fields, hint?: string): Fields =>
  declare(fields, false, hint)

/** One of these fields is required, and only one may be sent. */
export const exactlyOneOf = <Fields extends z.ZodRawShape>(fields: Fields): Fields => declare(fields, true)

/** The rules of an input. */
export function alternativesOf(shape: z.core.$ZodShape): (Alternatives & { hint: string })[] {
  const rules = new Set(Object.values(shape).flatMap((schema) => declared.get(schema) ?? []))
  return [...rules].filter(({ fields }) => Object.entries(fields).every(([name, schema]) => shape[name] === schema))
}

/** What breaks the rules of an input. */
export function alternativeProblems(shape: z.core.$ZodShape, given: Readonly<Record<string, unknown>>): FieldProblem[] {
  return alternativesOf(shape).flatMap(({ names, isExclusive, hint }) => {
    const sent = names.filter((name) => given[name] !== undefined)
    const [first = '', ...others] = sent.length > 0 ? sent : names
    if (sent.length === 0) return [{ field: first, message: `is required, unless ${listed(others)} is sent${hint}` }]
    if (!isExclusive) return []
    return others.map((field) => ({ field, message: `is not sent together with ${first}: send one of them` }))
  })
}

/** An object within an input, held to the rules of its fields as the input itself is. */
export const heldToRules = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) =>
  schema.superRefine((given, context) => {
    for (const { field, message } of alternativeProblems(schema.shape, given))
      context.addIssue({ code: 'custom', path: [field], message })
  })

/** Whether an object is one of several fields and nothing else. */
export const isOneField = (shape: z.core.$ZodShape): boolean =>
  alternativesOf(shape).some(({ names, isExclusive }) => isExclusive && names.length === Object.keys(shape).length)

/** The rules of an input for readers, each as a sentence. `nameOf` is null for what callers do not send. */
export function alternativesInWords(
  shape: z.core.$ZodShape,
  nameOf: (field: string) => string | null = (field) => field,
): string[] {
  return alternativesOf(shape).flatMap(({ names, isExclusive }) => {
    const shown = names.map(nameOf)
    if (shown.includes(null)) return []
    const fields = listed(
      shown.map((name) => `\`${name}\``),
      'and',
    )
    return [isExclusive ? `Send exactly one of ${fields}.` : `One of ${fields} is required.`]
  })
}

const listed = (names: readonly string[], word = 'or'): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
