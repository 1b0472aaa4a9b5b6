import type { Engine } from '../../src/app-types/engines/engine.ts'

const dotted = (version: string) => version.replace('_', '.')

/** The row of the table in docs/design/app-types.md. */
export function documentationRow({
  title,
  versions,
  protocol,
  port,
  otherPorts,
  limits,
  inPlaceUpgrades,
}: Engine): string {
  const { min, default: given, max } = limits.diskMb
  const images = versions.map(({ image }) => `\`${image}\``).join(', ')
  const upgrades = inPlaceUpgrades.map(({ from, to }) => `${dotted(from)} to ${dotted(to)}`).join(', ') || 'None'
  const others = otherPorts.map((other) => `; ${other.port}: ${other.about.replace(/\.$/, '')}`).join('')
  return `| ${title} | ${images} | \`${protocol}:\`, port ${port}${others} | ${min} to ${max}, ${given} by default | ${upgrades} |`
}
