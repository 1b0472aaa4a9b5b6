import { type Instruction, invalid } from './dockerfile-instructions.ts'

/** The ARGs above the first FROM, which image names may use; null for one without a value. */
export type GlobalArguments = Map<string, string | null>

/**
 * What variables may add to one text. Image names have 512 characters; without a limit, arguments that refer to one
 * another a few times each grow to any size.
 */
const MAX_REPLACED_LENGTH = 4096

const ARGUMENT = /^([A-Za-z_]\w*)(?:=("[^"\\]*"|'[^'\\]*'|[^\s"'\\]*))?(?:[\t\v\f\r ]+|$)/
const REFERENCE = /\$(?:(\w+)|\{(\w+)(?:(:?)([-+])([^}$]*))?\})/g

export function readGlobal(
  instruction: Instruction,
  globals: GlobalArguments,
  buildArgs: Readonly<Record<string, string>>,
): void {
  let left = instruction.rest.trim()
  while (left !== '') {
    const [all, name = '', value] = ARGUMENT.exec(left) ?? []
    if (all === undefined) throw invalid(`Line ${instruction.first + 1}: ARG is not of the form ARG name=value`)
    const given = Object.hasOwn(buildArgs, name) ? buildArgs[name] : undefined
    const written = value === undefined ? null : substitute(value, globals, instruction)
    globals.set(name, given ?? written)
    left = left.slice(all.length)
  }
}

/**
 * A text with its variables replaced by Dockerfile rules. Throws DOCKERFILE_INVALID for syntax that Dockerfiles do not
 * have.
 */
export function substitute(text: string, globals: GlobalArguments, { first }: Instruction): string {
  const plain = /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
  if (text.startsWith("'")) return plain
  let left = MAX_REPLACED_LENGTH
  const whole = plain.replaceAll(REFERENCE, (_all, bare, braced, colon, sign, word) => {
    const value = replacementFor(bare ?? braced, { colon, sign, word }, globals)
    if (value === null) throw invalid(`Line ${first + 1}: no ARG above the first FROM declares ${bare ?? braced}`)
    left -= value.length
    if (left < 0) throw tooLong(first)
    return value
  })
  if (/[$"'\\]/.test(plain.replaceAll(REFERENCE, ''))) {
    throw invalid(`Line ${first + 1}: ${JSON.stringify(text.slice(0, 120))} cannot be read`)
  }
  return whole
}

const tooLong = (first: number) =>
  invalid(`Line ${first + 1}: the variables of one text have more than ${MAX_REPLACED_LENGTH} characters`)

interface Reference {
  colon: string | undefined
  sign: string | undefined
  word: string | undefined
}

/** Null for a variable that nothing declares. */
function replacementFor(name: string, { colon, sign, word = '' }: Reference, globals: GlobalArguments): string | null {
  const value = globals.get(name) ?? null
  const isThere = value !== null && (colon !== ':' || value !== '')
  if (sign === '+') return isThere ? word : ''
  if (sign === '-') return isThere ? value : word
  return globals.has(name) ? (value ?? '') : null
}
