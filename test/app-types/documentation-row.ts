import type { Engine } from '../../src/app-types/engines/engine.ts'

const dotted = (version: string) => version.replace('_', '.')

/** The row of the table in docs/design/app-types.md. */
export function documentationRow({ title, versions, protocol, port, limits, inPlaceUpgrades }: Engine): string {
  const { min, default: given, max } = limits.diskMb
  const images = versions.map(({ image }) => `\`${image}\``).join(', ')
  const upgrades = inPlaceUpgrades.map(({ from, to }) => `${dotted(from)} to ${dotted(to)}`).join(', ') || 'None'
  return `| ${title} | ${images} | \`${protocol}:\`, port ${port} | ${min} to ${max}, ${given} by default | ${upgrades} |`
}
