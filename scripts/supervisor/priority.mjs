import { writeFileSync } from 'node:fs'
import { availableParallelism, constants, getPriority, setPriority } from 'node:os'

const LATER = 5
const EARLIER = -10

/**
 * Lets this process and others of its priority go first. To be called as soon as the child is started: on Linux, each of
 * its threads inherits the niceness of the one that starts it, and so do its own child processes.
 */
export const lowerPriority = ({ pid }) => tolerantly(() => setPriority(pid, nicenessBy(LATER)))

/**
 * Lets a child in a session of its own go before everything of this process's priority, the engine among it. Never on a
 * machine with one processor: a flood of requests to one app would leave next to nothing of it to everybody else.
 */
export function raisePriority({ pid }) {
  if (availableParallelism() === 1) return
  const niceness = nicenessBy(EARLIER)
  tolerantly(() => {
    setPriority(pid, niceness)
    // Linux may share the processor between sessions first.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  })
}

const { PRIORITY_HIGHEST, PRIORITY_LOW } = constants.priority
const nicenessBy = (more) => Math.max(PRIORITY_HIGHEST, Math.min(getPriority() + more, PRIORITY_LOW))

function tolerantly(change) {
  try {
    change()
  } catch {
    // The child has ended, or the system does not allow it: it works as well without.
  }
}
