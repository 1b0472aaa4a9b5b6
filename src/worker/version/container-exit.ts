import type { ObservedReplica } from '../../runtime/container-runtime.ts'

/** Describes how a container ended: `exited with code 137 (out of memory)`. */
export function exitOf({ phase, exitCode, outOfMemory }: ObservedReplica): string {
  if (phase === 'created') return 'never started'
  if (phase === 'paused') return 'paused'
  const code = exitCode === null ? '' : ` with code ${exitCode}`
  return `exited${code}${outOfMemory ? ' (out of memory)' : ''}`
}
