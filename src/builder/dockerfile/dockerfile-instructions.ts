import { BuildFailure } from '../../domain/build-failure.ts'

/** One instruction of a Dockerfile: its position, and its text with continuation lines joined. */
export interface Instruction {
  /** In capitals. */
  keyword: string
  rest: string
  /** Numbers of its first and last line, from 0. A here-document (`<<EOF`) is not counted. */
  first: number
  last: number
}

export interface ReadDockerfile {
  lines: readonly string[]
  instructions: readonly Instruction[]
}

const KNOWN =
  /^(ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER|VOLUME|WORKDIR)$/

// Exactly the engine's set: other JavaScript white space does not separate anything there.
const BLANK = /^[\t\v\f\r ]*$/
const COMMENT = /^[\t\v\f\r ]*#/
const INSTRUCTION = /^[\t\v\f\r ]*([A-Za-z]+)(?:[\t\v\f\r ]+(.*))?$/s

/**
 * A line in a here-document that would be an instruction outside it: builders differ in where they see such documents.
 */
const HIDDEN = /^\s*(FROM|LABEL|ONBUILD|(COPY|ADD|RUN)\s.*(from=|:\/\/))/i

export const invalid = (message: string): BuildFailure => new BuildFailure('DOCKERFILE_INVALID', message)

/**
 * Reads a Dockerfile as the engine does. Text that engines could read in different ways is refused rather than guessed
 * at: which images a build may start from depends on it. Throws DOCKERFILE_INVALID.
 */
export function readDockerfile(text: string): ReadDockerfile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const mark = escapeMark(lines)
  const instructions: Instruction[] = []
  for (let at = 0; at < lines.length; at += 1) {
    if (isSkipped(lines[at] ?? '')) continue
    const { joined, last } = joinLines(lines, at, mark)
    const instruction = { ...parse(joined, at), first: at, last }
    instructions.push(instruction)
    at = endOfTexts(lines, instruction)
  }
  return { lines, instructions }
}

const isSkipped = (line: string): boolean => BLANK.test(line) || COMMENT.test(line)

/** Old and new engines read this directive differently, unless it comes first. */
function escapeMark(lines: readonly string[]): string {
  const directive = /^#[ \t]*escape[ \t]*=[ \t]*([\\`])[ \t]*$/i
  const mark = directive.exec(lines[0] ?? '')?.[1]
  const start = lines.findIndex((line) => !isSkipped(line))
  const leading = lines.slice(mark === undefined ? 0 : 1, start < 0 ? undefined : start)
  if (leading.some((line) => /^\s*#\s*escape\s*=/i.test(line))) {
    throw invalid('The directive "# escape" must be the first line of a Dockerfile, and name \\ or `')
  }
  return mark ?? '\\'
}

/** Comments and empty lines do not end an instruction that continues. */
function joinLines(lines: readonly string[], first: number, mark: string): { joined: string; last: number } {
  const goesOn = mark === '`' ? /`[ \t]*$/ : /\\[ \t]*$/
  let joined = ''
  let last = first
  for (let at = first; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (at > first && isSkipped(line)) continue
    last = at
    joined += line.replace(goesOn, '')
    if (!goesOn.test(line)) break
    // Whether the next line belongs to this one depends on the engine's version.
    if (goesOn.test(line.replace(goesOn, ''))) throw invalid(`Line ${at + 1} ends with ${mark}${mark}`)
  }
  return { joined, last }
}

function parse(joined: string, at: number): { keyword: string; rest: string } {
  const [, word = '', rest = ''] = INSTRUCTION.exec(joined) ?? []
  const keyword = word.toUpperCase()
  if (KNOWN.test(keyword)) return { keyword, rest }
  const shown = joined.trim().split(/\s/)[0]?.slice(0, 40)
  throw invalid(`Line ${at + 1}: ${JSON.stringify(shown)} is not an instruction of a Dockerfile`)
}

/** The last line of the here-documents after a RUN or COPY, which only some builders know. */
function endOfTexts(lines: readonly string[], { keyword, rest, last }: Instruction): number {
  if (!/^(RUN|COPY|ADD)$/.test(keyword)) return last
  let at = last
  for (const [, dash, , name] of rest.matchAll(/<<(-?)(["']?)([A-Za-z_][A-Za-z0-9_]*)\2/g)) {
    do {
      at += 1
      const line = lines[at] ?? ''
      if (HIDDEN.test(line)) throw invalid(`Line ${at + 1}, within a text, reads like an instruction`)
      if ((dash ? line.replace(/^\t+/, '') : line) === name) break
    } while (at < lines.length)
  }
  return at
}
