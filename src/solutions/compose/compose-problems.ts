import type { FieldProblem } from '../../domain/errors.ts'

/** After which a caller has enough to mend. */
const MAX_PROBLEMS = 100

/** Collects what a compose file asks for and cannot have, each by the place where the file says it. */
export class ComposeProblems {
  readonly found: FieldProblem[] = []
  /** What the file says and Berth does not need, by its place. */
  readonly noEffect: string[] = []
  /** Of all that were found, also those beyond the bound: what is wrong there is not read. */
  readonly #places = new Set<string>()
  /** All places above these, and these. */
  readonly #around = new Set<string>()

  add(place: string, message: string): void {
    const field = place === '' ? 'compose' : `compose.${place}`
    this.#places.add(field)
    for (
      let end = field.length;
      end > 0 && !this.#around.has(field.slice(0, end));
      end = field.lastIndexOf('.', end - 1)
    )
      this.#around.add(field.slice(0, end))
    this.#add({ field, message })
  }

  addVariable(name: string, message: string): void {
    const field = `variables.${name}`
    if (!this.found.some((one) => one.field === field)) this.#add({ field, message })
  }

  addNoEffect(place: string, why: string): void {
    if (this.noEffect.length < MAX_PROBLEMS) this.noEffect.push(`${place}: ${why}`)
  }

  /** Whether something was found at the place, or inside it. */
  has(place: string): boolean {
    return this.#around.has(`compose.${place}`)
  }

  isAt(place: string): boolean {
    return this.#places.has(`compose.${place}`)
  }

  #add(problem: FieldProblem): void {
    if (this.found.length < MAX_PROBLEMS) this.found.push(problem)
  }
}

/** Of the file, with each scalar as the text that is written there; null is nothing. */
export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A list of texts, or one text as a list of it. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')

/** As the specification's own reader takes booleans, also those of YAML 1.1. */
const TRUE = /^(?:1|t|true|y|yes|on)$/i
const FALSE = /^(?:0|f|false|n|no|off)$/i

/** Null for what is none. */
export const booleanOf = (value: unknown): boolean | null =>
  typeof value !== 'string' ? null : TRUE.test(value) ? true : FALSE.test(value) ? false : null

export const isTrue = (value: unknown): boolean => booleanOf(value) === true
