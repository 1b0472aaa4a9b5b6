import { type Instruction, invalid } from './dockerfile-instructions.ts'

/** The ARGs above the first FROM, which image names may use; null for one without a value. */
export type GlobalArguments = Map<string, string | null>

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
  const whole = plain.replaceAll(REFERENCE, (_all, bare, braced, colon, sign, word) => {
    const value = globals.get(bare ?? braced) ?? null
    const isThere = value !== null && (colon !== ':' || value !== '')
    if (sign === '+') return isThere ? word : ''
    if (sign === '-') return isThere ? value : word
    if (globals.has(bare ?? braced)) return value ?? ''
    throw invalid(`Line ${first + 1}: no ARG above the first FROM declares ${bare ?? braced}`)
  })
  if (/[$"'\\]/.test(plain.replaceAll(REFERENCE, ''))) {
    throw invalid(`Line ${first + 1}: ${JSON.stringify(text.slice(0, 120))} cannot be read`)
  }
  return whole
}
