import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast'
import { formatImageReference, parseImageReference } from '../../domain/image-reference.ts'
import { frontEndIn, MAX_IMAGES } from './base-images.ts'
import { type GlobalArguments, readGlobal, substitute } from './global-arguments.ts'

interface Stage {
  name: string | null
  base: string
  sources: string[]
}

export interface DockerfileForBuilder {
  text: string
  /** In full. */
  images: string[]
}

/**
 * A Dockerfile for a builder that reads it itself, and the images that it is to be given: those that the
 * wanted stage needs.
 * What cannot be read here is the builder's to judge: it reaches no image of the engine but those.
 */
export function forBuilder(
  text: string,
  buildArgs: Readonly<Record<string, string>>,
  target: string | null = null,
): DockerfileForBuilder {
  const stages = stagesOf(text, buildArgs)
  const images = new Set<string>()
  const visited = new Set<Stage>()
  const visit = (stage: Stage | undefined): void => {
    if (!stage || visited.has(stage)) return
    visited.add(stage)
    const before = stages.slice(0, stages.indexOf(stage))
    for (const name of [stage.base, ...stage.sources]) {
      const other = before.findLast((one) => one.name === name.toLowerCase()) ?? stageByNumber(stages, name)
      if (other) visit(other)
      else if (name !== 'scratch') images.add(name)
    }
  }
  visit(target === null ? stages.at(-1) : stageNamed(stages, target))
  return { text: withoutFrontEnd(text), images: [...images].flatMap(inFull).slice(0, MAX_IMAGES) }
}

/** A builder has Docker's own one built in, and fetches another. Only among the comments at the top it is a directive. */
function withoutFrontEnd(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.trim().startsWith('#'))
  const top = end === -1 ? lines : lines.slice(0, end)
  return [...top.map((line) => (frontEndIn(line) === 'own' ? '#' : line)), ...lines.slice(top.length)].join('\n')
}

const stageNamed = (stages: readonly Stage[], name: string): Stage | undefined =>
  stages.findLast((one) => one.name === name.toLowerCase())

const stageByNumber = (stages: readonly Stage[], name: string): Stage | undefined =>
  /^\d{1,4}$/.test(name) ? stages[Number(name)] : undefined

function inFull(name: string): string[] {
  const parsed = parseImageReference(name)
  return 'reference' in parsed ? [formatImageReference(parsed.reference)] : []
}

function stagesOf(text: string, buildArgs: Readonly<Record<string, string>>): Stage[] {
  const globals: GlobalArguments = new Map()
  const stages: Stage[] = []
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword()
    const stage = stages.at(-1)
    if (keyword === 'FROM') {
      const from = instruction as From
      const base = valueIn(from.getImage() ?? '', globals, instruction)
      stages.push({ name: from.getBuildStage()?.toLowerCase() ?? null, base, sources: [] })
    } else if (keyword === 'ARG' && !stage) attempt(() => readGlobal(textOf(instruction), globals, buildArgs))
    else if (/^(COPY|ADD|RUN)$/.test(keyword)) stage?.sources.push(...sourcesOf(instruction as Copy))
  }
  return stages
}

/** Of `--from=image` and `--mount=type=bind,from=image`. */
const sourcesOf = (instruction: Copy): string[] =>
  instruction.getFlags().flatMap((flag) => {
    if (flag.getName() === 'from') return flag.getValue() ?? []
    return flag.getName() === 'mount' ? (flag.getOption('from')?.getValue() ?? []) : []
  })

const textOf = (instruction: Instruction) => ({
  keyword: instruction.getKeyword(),
  rest: instruction.getArgumentsContent() ?? '',
  first: instruction.getRange().start.line,
  last: instruction.getRange().end.line,
})

const valueIn = (text: string, globals: GlobalArguments, instruction: Instruction): string =>
  attempt(() => substitute(text, globals, textOf(instruction))) ?? text

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
