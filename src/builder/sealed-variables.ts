import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { declaredNames } from './dockerfile/exposed-variables.ts'

const STAGE = 'berth-build'
/** How an image runs. */
const KEPT = ['ENTRYPOINT', 'WORKDIR', 'ENV', 'ARG', 'USER', 'CMD']

/**
 * Gives variables to the stage that builds. If that stage also runs, its history would reveal their values; then the
 * image is assembled anew from its files and settings, without the history.
 */
export function sealVariables(dockerfile: string, names: readonly string[]): string {
  const instructions = DockerfileParser.parse(dockerfile).getInstructions()
  const froms = instructions.filter((one) => one.getKeyword() === 'FROM')
  const [from] = froms
  if (names.length === 0 || !from) return dockerfile
  const lines = dockerfile.split('\n')
  // Below the instructions that do not depend on them, so that those stay cached.
  const { line } = (instructions.find((one) => one.getKeyword() === 'ENV') ?? from).getRange().end
  const declared = names.map((name) => `ARG ${name}`)
  const given = [...lines.slice(0, line + 1), ...declared, ...lines.slice(line + 1)]
  if (froms.length > 1) return given.join('\n')

  given[from.getRange().start.line] = `FROM ${from.getArgumentsContent()} AS ${STAGE}`
  const kept = instructions.filter((one) => KEPT.includes(one.getKeyword())).flatMap((one) => without(one, names))
  return [...given, `FROM ${from.getArgumentsContent()}`, `COPY --from=${STAGE} / /`, ...kept, ''].join('\n')
}

function without(instruction: Instruction, names: readonly string[]): string[] {
  const keyword = instruction.getKeyword()
  if (keyword !== 'ENV' && keyword !== 'ARG') return [`${keyword} ${instruction.getArgumentsContent()}`]
  const declared = declaredNames(instruction)
  const others = instruction.getArguments().filter((_, index) => !names.includes(declared[index] ?? ''))
  return others.length === 0 ? [] : [`${keyword} ${others.map((one) => one.getValue()).join(' ')}`]
}
