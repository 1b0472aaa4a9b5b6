import { DockerfileParser } from 'dockerfile-ast'
import { readDockerfile } from './dockerfile-instructions.ts'
import { declarations } from './exposed-variables.ts'

/**
 * A build argument that changes with the values of secrets: a step does not run again because a secret that it mounts has
 * changed, but because an argument has.
 */
export const SECRETS_VERSION = 'BERTH_SECRETS_VERSION'

/**
 * The Dockerfile with secret variables as mounts of the steps that may read them, in the environment as before, instead of
 * as arguments, which an image's history shows. For Dockerfiles that were written here: each `ARG` declares one name.
 */
export function mountSecrets(dockerfile: string, names: readonly string[]): string {
  const { lines, instructions } = readDockerfile(dockerfile)
  const changed = new Map<number, string>()
  const mounted = new Set<string>()
  for (const instruction of instructions) {
    const { keyword, rest, first } = instruction
    if (keyword === 'FROM') mounted.clear()
    const [declared] = keyword === 'ARG' ? declarations(instruction) : []
    if (declared && names.includes(declared.name)) {
      changed.set(first, mounted.size === 0 ? `ARG ${SECRETS_VERSION}` : '')
      mounted.add(declared.name)
    } else if (keyword === 'RUN' && mounted.size > 0) {
      const mounts = [...mounted].map((name) => `--mount=type=secret,id=${name},env=${name}`)
      const line = lines[first] ?? ''
      changed.set(first, line.replace(/^\s*RUN\s*/i, `RUN ${mounts.join(' ')} `))
      if (rest.trim() === '') changed.delete(first)
    }
  }
  return lines.map((line, at) => changed.get(at) ?? line).join('\n')
}

/** Those of the variables that any stage declares by `ARG`. */
export function declaredVariables(dockerfile: string, names: readonly string[]): string[] {
  const declared = new Set(
    DockerfileParser.parse(dockerfile)
      .getARGs()
      .flatMap((arg) => arg.getProperties().map((property) => property.getName())),
  )
  return names.filter((name) => declared.has(name))
}
