import type { z } from 'zod'
import type { FieldProblem } from './errors.ts'
import { didYouMean } from './near-names.ts'

type Issue = z.core.$ZodRawIssue

export type ReadFields<Output> = { data: Output; problems?: undefined } | { data?: undefined; problems: FieldProblem[] }

/**
 * Reads a value by its schema, and reports what every field must be. Uses the schema's message if it has one, otherwise
 * Berth's own: never the library's. `what` names the thing that has no unknown fields.
 */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what = 'this call',
): ReadFields<z.output<Schema>> {
  const parsed = schema.safeParse(value, { error: ruleOf, reportInput: true })
  if (parsed.success) return { data: parsed.data }
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, schema, what))
  // Several checks of one field may share one sentence; report it once.
  return {
    problems: [...new Map(problems.map((problem) => [`${problem.field}: ${problem.message}`, problem])).values()],
  }
}

/** A body may have any number of unknown fields; this many are compared with the known ones. */
const MAX_COMPARED = 10

/** Unknown fields are named one by one (contract §1, Bodies), with the known ones that they may stand for. */
function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodType, what: string): FieldProblem[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path)
    return issue.keys.map((key, index) => ({
      field: path ? `${path}.${key}` : key,
      message: `is not a field of ${what}${index < MAX_COMPARED ? didYouMean(key, known) : ''}`,
    }))
  }
  return [{ field: path || 'body', message: issue.input === undefined ? requiredOf(issue) : issue.message }]
}

/** Of a missing field, only that it is missing, and what it can be where that is a list. */
function requiredOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || issue.values.length === 1) return 'is required'
  return `is required: one of ${issue.values.join(', ')}`
}

interface Definition {
  type: string
  innerType?: z.core.$ZodType
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  shape?: Readonly<Record<string, z.core.$ZodType>>
}

/** The fields of the object at a path of a schema; none where it has no such object. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const { innerType, element, valueType, shape } = schema._zod.def as unknown as Definition
  if (innerType) return fieldsAt(innerType, path)
  const [step, ...rest] = path
  if (step === undefined) return Object.keys(shape ?? {})
  const next = shape ? shape[String(step)] : (element ?? valueType)
  return next ? fieldsAt(next, rest) : []
}

/** The broken rule and the values that it allows. */
function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[typeWanted(issue)] ?? `of the type ${typeWanted(issue)}`}`
    case 'too_small':
      return `must ${atLeast(issue)}`
    case 'too_big':
      return `must ${atMost(issue)}`
    case 'invalid_format':
      return formatRule(issue)
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_union':
      return issue.errors.flatMap(([first]) => (first ? [first.message] : [])).join(', or ') || NOT_ALLOWED
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? NOT_ALLOWED
    case 'custom':
      return NOT_ALLOWED
  }
}

const NOT_ALLOWED = 'is not allowed'

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** For a text in place of a whole number, say "whole number", not just "number". */
const typeWanted = ({ expected, inst }: { expected: string; inst?: unknown }): string =>
  expected === 'number' && (inst as z.ZodNumber | undefined)?.format === 'safeint' ? 'int' : expected

interface Bound {
  origin: string
  inclusive?: boolean | undefined
  exact?: boolean | undefined
}

function atLeast({ origin, minimum, inclusive, exact }: Bound & { minimum: number | bigint }): string {
  if (origin === 'string' || origin === 'array') {
    if (exact) return sized(origin, `exactly ${minimum}`)
    return minimum <= 1 ? 'not be empty' : sized(origin, `at least ${minimum}`)
  }
  return inclusive === false ? `be more than ${minimum}` : `be at least ${minimum}`
}

function atMost({ origin, maximum, inclusive, exact }: Bound & { maximum: number | bigint }): string {
  if (origin === 'string' || origin === 'array') return sized(origin, `${exact ? 'exactly' : 'at most'} ${maximum}`)
  return inclusive === false ? `be less than ${maximum}` : `be at most ${maximum}`
}

const sized = (origin: 'string' | 'array', size: string): string =>
  origin === 'string' ? `be ${size} characters long` : `have ${size} items`

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'an ISO 8601 time, such as 2026-11-30T12:00:00Z',
}

function formatRule(issue: { format: string; pattern?: string; prefix?: unknown; suffix?: unknown }): string {
  if (issue.format === 'starts_with') return `must begin with ${issue.prefix}`
  if (issue.format === 'ends_with') return `must end with ${issue.suffix}`
  if (issue.format === 'regex') return `must match ${issue.pattern}`
  return `must be ${FORMATS[issue.format] ?? `of the format ${issue.format}`}`
}
