import { DockerfileParser, type Instruction } from 'dockerfile-ast'

/** Names that an ARG declares; one ARG may declare several. */
export const declaredNames = (arg: Instruction): string[] =>
  arg.getArguments().map((argument) => argument.getValue().split('=')[0]?.replace(/["']/g, '') ?? '')

/**
 * The variables whose values end up in the image's history: those that its last stage declares, or a stage that it is
 * built on.
 */
export function exposedVariables(dockerfile: string, names: readonly string[]): string[] {
  const stages = stagesOf(dockerfile)
  const exposed = new Set<string>()
  let stage = stages.at(-1)
  while (stage) {
    for (const arg of stage.instructions.filter((one) => one.getKeyword() === 'ARG')) {
      for (const name of declaredNames(arg)) exposed.add(name)
    }
    const { position, image } = stage
    stage = stages.slice(0, position).findLast(({ name }) => name === image)
  }
  return names.filter((name) => exposed.has(name))
}

interface Stage {
  position: number
  name: string | null
  image: string
  instructions: Instruction[]
}

function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const [image = '', as, name] = instruction
        .getArguments()
        .filter((one) => !one.getValue().startsWith('--'))
        .map((one) => one.getValue().toLowerCase())
      stages.push({ position: stages.length, image, name: as === 'as' ? (name ?? null) : null, instructions: [] })
    } else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}
