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

const TEXT = /<<(-?)(["']?)([A-Za-z_][A-Za-z0-9_]*)\2/
const TEXTS = new RegExp(TEXT, 'g')

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
 * A line in a here-document that would be an instruction outside it: the engine's own builders differ in where they see such
 * documents.
 */
const HIDDEN = /^\s*(FROM|LABEL|ONBUILD|(COPY|ADD|RUN)\s.*(from=|:\/\/))/i

/** What is said of a text that can be read in more than one way. */
type Objection = (message: string) => void

const OWN_BUILDER = 'the engine’s own builder, which is used here,'
const NEWER_BUILDER = 'have the administrator make the builder of accounts available (BERTH_BUILDER)'

export const invalid = (message: string): BuildFailure => new BuildFailure('DOCKERFILE_INVALID', message)

/**
 * Reads a Dockerfile as the engine does. Text that engines could read in different ways is refused rather than guessed
 * at: which images a build may start from depends on it. Throws DOCKERFILE_INVALID, unless the reading is lenient: then nothing
 * depends on it, and its builder has the last word.
 */
export function readDockerfile(text: string, { isLenient = false } = {}): ReadDockerfile {
  const objection: Objection = isLenient
    ? () => {}
    : (message) => {
        throw invalid(message)
      }
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const mark = escapeMark(lines, objection)
  const instructions: Instruction[] = []
  for (let at = 0; at < lines.length; at += 1) {
    if (isSkipped(lines[at] ?? '')) continue
    const { joined, last } = joinLines(lines, at, { mark, objection })
    const instruction = { ...parse(joined), first: at, last }
    if (KNOWN.test(instruction.keyword)) instructions.push(instruction)
    else objection(`Line ${at + 1}: ${shownWord(joined)} is not an instruction of a Dockerfile`)
    at = endOfTexts(lines, instruction, objection)
  }
  return { lines, instructions }
}

const isSkipped = (line: string): boolean => BLANK.test(line) || COMMENT.test(line)

/** Old and new engines read this directive differently, unless it comes first. */
function escapeMark(lines: readonly string[], objection: Objection): string {
  const directive = /^#[ \t]*escape[ \t]*=[ \t]*([\\`])[ \t]*$/i
  const mark = directive.exec(lines[0] ?? '')?.[1]
  const start = lines.findIndex((line) => !isSkipped(line))
  const leading = lines.slice(mark === undefined ? 0 : 1, start < 0 ? undefined : start)
  if (leading.some((line) => /^\s*#\s*escape\s*=/i.test(line))) {
    objection('The directive "# escape" must be the first line of a Dockerfile, and name \\ or `')
  }
  return mark ?? '\\'
}

/** Comments and empty lines do not end an instruction that continues. */
function joinLines(
  lines: readonly string[],
  first: number,
  { mark, objection }: { mark: string; objection: Objection },
): { joined: string; last: number } {
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
    if (goesOn.test(line.replace(goesOn, ''))) objection(`Line ${at + 1} ends with ${mark}${mark}`)
  }
  return { joined, last }
}

function parse(joined: string): { keyword: string; rest: string } {
  const [, word = '', rest = ''] = INSTRUCTION.exec(joined) ?? []
  return { keyword: word.toUpperCase(), rest }
}

const shownWord = (joined: string): string => JSON.stringify(joined.trim().split(/\s/)[0]?.slice(0, 40))

/** The last line of the here-documents after a RUN or COPY, which only some builders know. */
function endOfTexts(lines: readonly string[], { keyword, rest, last }: Instruction, objection: Objection): number {
  if (!/^(RUN|COPY|ADD)$/.test(keyword)) return last
  let at = last
  for (const [, dash, , name] of rest.matchAll(TEXTS)) {
    do {
      at += 1
      const line = lines[at] ?? ''
      if (HIDDEN.test(line))
        objection(
          `Line ${at + 1}, in a here-document, reads like an instruction, and ${OWN_BUILDER} may take it for one: put the text into a file of the source, or ${NEWER_BUILDER}`,
        )
      if ((dash ? line.replace(/^\t+/, '') : line) === name) break
    } while (at < lines.length)
  }
  return at
}

/** What came with BuildKit: flags of instructions, by keyword. */
const NEWER_FLAGS: readonly (readonly [keyword: RegExp, flag: RegExp])[] = [
  [/^RUN$/, /^--(mount|network|security|device)\b/],
  [/^(COPY|ADD)$/, /^--(chmod|link|parents|exclude|checksum|keep-git-dir|unpack)\b/],
]
const BUILD_PLATFORM = /\$\{?(BUILDPLATFORM|BUILDOS|BUILDARCH|TARGETPLATFORM|TARGETOS|TARGETARCH)\b/

/**
 * Throws DOCKERFILE_INVALID for what the builder of engines before BuildKit lacks, by its line: by itself, it would call the
 * first line of a here-document an unknown instruction.
 */
export function assertKnownToClassicBuilder({ instructions }: ReadDockerfile): void {
  for (const { keyword, rest, first } of instructions) {
    const flags =
      rest
        .trim()
        .match(/^(?:--\S+[\t\v\f\r ]+)*/)?.[0]
        .split(/\s+/) ?? []
    const newer = NEWER_FLAGS.find(([pattern]) => pattern.test(keyword))?.[1]
    const flag = newer && flags.find((one) => newer.test(one))
    const platform = keyword === 'FROM' ? BUILD_PLATFORM.exec(rest)?.[1] : undefined
    const lacks =
      (/^(RUN|COPY|ADD)$/.test(keyword) && TEXT.test(rest) && 'here-documents (<<)') ||
      (flag && `${keyword} ${flag.split('=', 1)[0]}`) ||
      (platform && `the variable ${platform} of a FROM`)
    if (lacks) {
      throw invalid(`Line ${first + 1}: ${OWN_BUILDER} is too old for ${lacks}: rewrite the line, or ${NEWER_BUILDER}`)
    }
  }
}
