import { constants, getPriority, setPriority } from 'node:os'

const MORE_NICENESS = 5

/**
 * Lets this process and others of its priority go first. To be called as soon as the child is started: on Linux, each of
 * its threads inherits the niceness of the one that starts it, and so do its own child processes.
 */
export function lowerPriority({ pid }) {
  if (pid === undefined) return
  try {
    setPriority(pid, Math.min(getPriority() + MORE_NICENESS, constants.priority.PRIORITY_LOW))
  } catch {
    // It has ended, or the system does not allow it: the process works as well without.
  }
}
