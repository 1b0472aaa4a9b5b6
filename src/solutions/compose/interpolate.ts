import type { ComposeProblems } from './compose-problems.ts'

/** Characters of all texts with their variables filled in. */
export const MAX_FILLED = 262_144
/** Defaults inside of defaults. */
const MAX_DEPTH = 20

export interface Filling {
  given: Readonly<Record<string, string>>
  /** Why each that is missing is required. */
  missing: Map<string, string>
  /** Characters that came from variables. */
  length: number
}

const SPECIAL = ['$', '{', '}']
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const OPERATOR = /:?[-+?]/y

class InvalidFormat extends Error {}

/**
 * Fills the variables of a text in, by the grammar of the specification: `$$`, `$NAME`, `${NAME}`, and `:-` `-` `:+` `+`
 * `:?` `?`, whose second half is a text of the same kind. It is read once, from left to right.
 */
export function interpolate(text: string, place: string, filling: Filling, problems: ComposeProblems): string {
  if (!text.includes('$')) return text
  try {
    const reader = new Reader(text, filling)
    return reader.read(0)
  } catch (error) {
    if (!(error instanceof InvalidFormat)) throw error
    problems.add(place, error.message)
    return ''
  }
}

class Reader {
  #at = 0
  readonly #text: string
  readonly #filling: Filling

  constructor(text: string, filling: Filling) {
    this.#text = text
    this.#filling = filling
  }

  /** Up to the end of the text, or, inside of a variable, up to its brace. `isUsed`: whether the answer counts. */
  read(depth: number, isUsed = true): string {
    const parts: string[] = []
    // Braces of the text itself, such as those of JSON in a default.
    let open = 0
    for (;;) {
      const from = this.#at
      while (this.#at < this.#text.length && !SPECIAL.includes(this.#text.charAt(this.#at))) this.#at += 1
      parts.push(this.#text.slice(from, this.#at))
      const char = this.#text.charAt(this.#at)
      if (char === '') return parts.join('')
      if (char === '}' && depth > 0 && open === 0) return parts.join('')
      if (char === '$') {
        parts.push(this.#variable(depth, isUsed))
        continue
      }
      open = Math.max(0, open + (char === '{' ? 1 : -1))
      parts.push(char)
      this.#at += 1
    }
  }

  #variable(depth: number, isUsed: boolean): string {
    this.#at += 1
    const next = this.#text.charAt(this.#at)
    if (next === '$') {
      this.#at += 1
      return '$'
    }
    if (next !== '{') {
      const name = this.#match(NAME)
      // As compose does: a price of $5 is no variable.
      return name === null ? '$' : this.#valueOf(name, isUsed)
    }
    const start = this.#at - 1
    this.#at += 1
    const name = this.#match(NAME)
    const operator = name === null ? null : this.#match(OPERATOR)
    if (name === null) throw this.#invalid(start)
    if (depth >= MAX_DEPTH) throw new InvalidFormat(`has variables ${MAX_DEPTH} deep in one another`)
    const value = this.#filling.given[name]
    const isThere = value !== undefined && !(operator?.startsWith(':') && value === '')
    const kind = operator?.at(-1)
    const other =
      operator === null ? '' : this.read(depth + 1, isUsed && kind !== undefined && (kind === '+') === isThere)
    if (this.#text.charAt(this.#at) !== '}') throw this.#invalid(start)
    this.#at += 1
    if (kind === '+') return isThere ? other : ''
    if (isThere) return this.#valueOf(name, isUsed)
    if (kind === '-') return other
    if (kind === '?') return this.#require(name, other, isUsed)
    return this.#valueOf(name, isUsed)
  }

  #valueOf(name: string, isUsed: boolean): string {
    const value = this.#filling.given[name]
    if (value === undefined) return this.#require(name, '', isUsed)
    this.#filling.length += isUsed ? value.length : 0
    return isUsed && this.#filling.length <= MAX_FILLED ? value : ''
  }

  #require(name: string, why: string, isUsed: boolean): string {
    if (isUsed && !this.#filling.missing.get(name)) this.#filling.missing.set(name, why)
    return ''
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    this.#at += found?.length ?? 0
    return found
  }

  #invalid(start: number): InvalidFormat {
    const shown = this.#text.slice(start, start + 40)
    return new InvalidFormat(
      `has “${shown}”, which is no variable: write \${NAME}, or \${NAME:-default}, and $$ for a dollar sign`,
    )
  }
}
