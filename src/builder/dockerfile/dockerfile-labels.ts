import { readDockerfile } from './dockerfile-instructions.ts'

/**
 * Puts a LABEL below every FROM, and again below every LABEL, which could otherwise claim another owner. Layers and
 * containers of a build inherit it, so that leftovers of a killed build can be identified, and no environment reuses
 * another one's cached layers.
 */
export function labelStages(dockerfile: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`)
  const label = `LABEL ${pairs.join(' ')}`
  const { lines, instructions } = readDockerfile(dockerfile)
  const ends = new Set(
    instructions.filter(({ keyword }) => keyword === 'FROM' || keyword === 'LABEL').map(({ last }) => last),
  )
  return lines.flatMap((line, at) => (ends.has(at) ? [line, label] : [line])).join('\n')
}
