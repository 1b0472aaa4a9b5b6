import { withoutTrailing } from './without-trailing.ts'

/** Maximum DNS label length: other containers of the account's network also reach the replica by this name. */
const MAX_LENGTH = 63

/**
 * Name of a replica's container: `berth-<cliEnvName>-v<version>-<last 8 of rolloutId>-<index>`. Deterministic, so that
 * a step that is repeated, or run by two workers at once, finds its own container.
 */
export function replicaName(
  rollout: { cliEnvName: string; version: number; rolloutId: string },
  index: number,
): string {
  const suffix = `-v${rollout.version}-${rollout.rolloutId.slice(-8)}-${index}`.toLowerCase()
  const readable = `berth-${rollout.cliEnvName.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')}`
  return withoutTrailing(readable.slice(0, MAX_LENGTH - suffix.length), '-') + suffix
}
