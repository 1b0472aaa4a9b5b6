import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/** Beside an ingress, the worker itself has a niceness of 5: requests to apps go first, then the API, then builds. */
const MORE_NICENESS = 5

/** Lets this process go first. To be called as soon as the child is started, because its threads inherit it. */
export function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    const niceness = Math.min(getPriority() + MORE_NICENESS, constants.priority.PRIORITY_LOW)
    setPriority(pid, niceness)
    // Linux may share the processor between sessions first, and a detached process has one of its own.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // It has ended, or the system does not allow it: the process works as well without.
  }
}
