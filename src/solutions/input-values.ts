import type { FieldProblem } from '../domain/errors.ts'
import type { Solution, SolutionInput } from './solution.ts'

const MAX_LENGTH = 4096
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}\.[^\s@.]{1,63}$/

type Given = Readonly<Record<string, unknown>>

/** The values of all inputs that were given or have a default, as text; or every problem at once. */
export function readInputs(
  { inputs }: Pick<Solution, 'inputs'>,
  given: Given,
): { values: Record<string, string>; problems: FieldProblem[] } {
  const known = new Set(inputs.map(({ name }) => name))
  const names = [...known].join(', ')
  const problems: FieldProblem[] = Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => ({
      field: `inputs.${name}`,
      message: known.size > 0 ? `is unknown: the solution takes ${names}` : 'is unknown: the solution takes no inputs',
    }))
  const values: Record<string, string> = {}
  for (const input of inputs) {
    const value = given[input.name] ?? input.default
    if (value === undefined || value === '') {
      if (input.required) problems.push({ field: `inputs.${input.name}`, message: 'is required' })
      continue
    }
    const problem = problemOf(input, value)
    if (problem) problems.push({ field: `inputs.${input.name}`, message: problem })
    else values[input.name] = String(value)
  }
  return { values, problems }
}

function problemOf({ type, pattern, patternRule }: SolutionInput, value: unknown): string | null {
  if (type === 'NUMBER') return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number'
  if (type === 'BOOLEAN') return typeof value === 'boolean' ? null : 'must be true or false'
  if (typeof value !== 'string') return 'must be text'
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long`
  if (type === 'EMAIL' && !EMAIL.test(value)) return 'must be an email address'
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'u').test(value)) return patternRule ?? 'is wrong'
  return null
}

/** The values, with a random one for each generated input that was left out. */
export function withGenerated(
  { inputs }: Pick<Solution, 'inputs'>,
  values: Readonly<Record<string, string>>,
  random: (length: number) => string,
): Record<string, string> {
  const made = inputs.flatMap(({ name, generated }) =>
    generated === undefined || values[name] !== undefined ? [] : [[name, random(generated)] as const],
  )
  return { ...values, ...Object.fromEntries(made) }
}
