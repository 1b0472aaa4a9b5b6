import { type Instruction, readDockerfile } from './dockerfile/dockerfile-instructions.ts'
import { declarations } from './dockerfile/exposed-variables.ts'

const STAGE = 'berth-build'
/** How an image runs. */
const KEPT = ['ENTRYPOINT', 'WORKDIR', 'ENV', 'ARG', 'USER', 'CMD']

/**
 * Gives variables to the stage that builds. If that stage also runs, its history would reveal their values; then the
 * image is assembled anew from its files and settings, without the history. Throws DOCKERFILE_INVALID.
 */
export function sealVariables(dockerfile: string, names: readonly string[]): string {
  const { instructions } = readDockerfile(dockerfile)
  const froms = instructions.filter(({ keyword }) => keyword === 'FROM')
  const [from] = froms
  if (names.length === 0 || !from) return dockerfile
  const lines = dockerfile.split('\n')
  // Below the instructions that do not depend on them, so that those stay cached.
  const { last } = instructions.find(({ keyword }) => keyword === 'ENV') ?? from
  const declared = names.map((name) => `ARG ${name}`)
  const given = [...lines.slice(0, last + 1), ...declared, ...lines.slice(last + 1)]
  if (froms.length > 1) return given.join('\n')

  given[from.first] = `FROM ${from.rest.trim()} AS ${STAGE}`
  const kept = instructions.filter(({ keyword }) => KEPT.includes(keyword)).flatMap((one) => without(one, names))
  return [...given, `FROM ${from.rest.trim()}`, `COPY --from=${STAGE} / /`, ...kept, ''].join('\n')
}

function without(instruction: Instruction, names: readonly string[]): string[] {
  const { keyword, rest } = instruction
  if (keyword !== 'ENV' && keyword !== 'ARG') return [`${keyword} ${rest.trim()}`]
  const others = declarations(instruction).filter(({ name }) => !names.includes(name))
  return others.length === 0 ? [] : [`${keyword} ${others.map(({ word }) => word).join(' ')}`]
}
