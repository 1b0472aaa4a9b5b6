import { type Instruction, readDockerfile } from './dockerfile-instructions.ts'

/** A name, and its value with any quoted pieces. Each alternative begins with another character, so none is tried twice. */
const WORD = /[^\s=]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'])*)?/g

/** The words of an ARG or ENV, with the name that each sets. */
export const declarations = ({ rest }: Instruction): { name: string; word: string }[] =>
  [...rest.matchAll(WORD)].map(([word]) => ({ word, name: word.split('=', 1)[0]?.replace(/["']/g, '') ?? '' }))

interface Stage {
  /** The stage that it is built on. */
  on: Stage | null
  args: Instruction[]
}

/**
 * The variables whose values end up in the image's history: those that its last stage declares, or a stage that it is
 * built on. What is wrong with a Dockerfile, its builder says.
 */
export function exposedVariables(dockerfile: string, names: readonly string[]): string[] {
  const exposed = new Set<string>()
  for (let stage = lastStage(dockerfile); stage; stage = stage.on) {
    for (const { name } of stage.args.flatMap(declarations)) exposed.add(name)
  }
  return names.filter((name) => exposed.has(name))
}

function lastStage(dockerfile: string): Stage | null {
  const named = new Map<string, Stage>()
  let last: Stage | null = null
  for (const instruction of readDockerfile(dockerfile, { isLenient: true }).instructions) {
    if (instruction.keyword === 'FROM') {
      const words = instruction.rest.trim().toLowerCase().split(/\s+/)
      const [image = '', as, name] = words.filter((word) => !word.startsWith('--'))
      last = { on: named.get(image) ?? null, args: [] }
      if (as === 'as' && name !== undefined) named.set(name, last)
    } else if (instruction.keyword === 'ARG') last?.args.push(instruction)
  }
  return last
}
