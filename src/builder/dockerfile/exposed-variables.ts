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
 * The variables whose values end up in the image's history: those that the stage declares which becomes the image, or a stage that it is
 * built on. What is wrong with a Dockerfile, its builder says.
 */
export function exposedVariables(dockerfile: string, names: readonly string[], target: string | null = null): string[] {
  const exposed = new Set<string>()
  for (let stage = wantedStage(dockerfile, target); stage; stage = stage.on) {
    for (const { name } of stage.args.flatMap(declarations)) exposed.add(name)
  }
  return names.filter((name) => exposed.has(name))
}

function wantedStage(dockerfile: string, target: string | null): Stage | null {
  const stages: Stage[] = []
  const named = new Map<string, Stage>()
  for (const instruction of readDockerfile(dockerfile, { isLenient: true }).instructions) {
    if (instruction.keyword === 'FROM') {
      const words = instruction.rest.trim().toLowerCase().split(/\s+/)
      const [image = '', as, name] = words.filter((word) => !word.startsWith('--'))
      const stage = { on: named.get(image) ?? null, args: [] }
      stages.push(stage)
      if (as === 'as' && name !== undefined) named.set(name, stage)
    } else if (instruction.keyword === 'ARG') stages.at(-1)?.args.push(instruction)
  }
  return (target === null ? stages.at(-1) : named.get(target.toLowerCase())) ?? null
}
