import { type Instruction, invalid } from './dockerfile-instructions.ts'

const SPACE = /[\t\v\f\r ]+/
const FLAG = /^--[a-z][a-z-]*(=[^\\]*)?$/

/** Separates an instruction's flags from its arguments. Throws DOCKERFILE_INVALID where they are ambiguous. */
export function splitFlags({ keyword, rest, first }: Instruction): { flags: string[]; rest: string } {
  const flags: string[] = []
  let left = rest.trim()
  while (left.startsWith('--')) {
    const [flag = ''] = left.split(SPACE, 1)
    const isClosed = ['"', "'"].every((quote) => flag.split(quote).length % 2 === 1)
    if (!FLAG.test(flag) || !isClosed || (flag.includes('"') && flag.includes("'"))) {
      throw invalid(`Line ${first + 1}: ${keyword} has a flag that cannot be read: ${flag.slice(0, 60)}`)
    }
    flags.push(flag)
    left = left.slice(flag.length).trim()
  }
  return { flags, rest: left }
}

const FROM = /^\s*from\s*=/i

/** The image or stage that a flag of COPY or RUN reads from, and the flag with another name in its place. */
export function sourceOfFlag(flag: string): { from: string; replace(by: string): string } | null {
  const plain = flag.replaceAll(/["']/g, '')
  if (plain.startsWith('--from=')) return { from: plain.slice('--from='.length), replace: (by) => `--from=${by}` }
  if (!plain.startsWith('--mount=')) return null
  const parts = plain.slice('--mount='.length).split(',')
  const sources = parts.filter((part) => FROM.test(part))
  // Engines take the last one.
  if (sources.length > 1) throw invalid(`A flag names more than one source: ${flag.slice(0, 60)}`)
  const at = parts.findIndex((part) => FROM.test(part))
  if (at < 0) return null
  const from = parts[at]?.split('=').slice(1).join('=').trim() ?? ''
  return { from, replace: (by) => `--mount=${parts.with(at, `from=${by}`).join(',')}` }
}

/** What engines take for the address of a file or repository. */
const ADDRESS = /:\/\/|^[\w.-]+@[\w.-]+:|^github\.com\//i

/**
 * ADD fetches addresses from the engine's own network, which a build must not reach: addresses are refused, and an
 * argument that a variable may turn into an address becomes a path.
 */
export function withoutAddresses({ first }: Instruction, rest: string): string {
  const list = listOf(rest)
  const words = list ?? rest.split(SPACE)
  const sources = words.slice(0, -1)
  const isAddress = (word: string) => ADDRESS.test(word.replaceAll(/["'\\`]/g, ''))
  const isSplit = (word: string) => list === null && ['"', "'"].some((quote) => word.split(quote).length % 2 === 0)
  if (sources.some((word) => isAddress(word) || (rest.includes('$') && isSplit(word)))) {
    throw invalid(`Line ${first + 1}: ADD fetches no addresses here; fetch it in a RUN, or bring it with the source`)
  }
  const paths = [...sources.map((word) => (word.includes('$') ? `./${word}` : word)), ...words.slice(-1)]
  return list ? JSON.stringify(paths) : paths.join(' ')
}

/** Arguments in JSON form; null for any other form. */
function listOf(rest: string): string[] | null {
  try {
    const list: unknown = JSON.parse(rest)
    return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : null
  } catch {
    return null
  }
}
