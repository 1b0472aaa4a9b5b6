import type { FieldProblem } from '../../domain/errors.ts'

/** Collects what a compose file asks for and cannot have, each by the place where the file says it. */
export class ComposeProblems {
  readonly found: FieldProblem[] = []

  add(place: string, message: string): void {
    this.found.push({ field: place === '' ? 'compose' : `compose.${place}`, message })
  }
}

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of texts, also where the file has numbers. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])
    .filter((one) => !isObject(one))
    .map(String)
