import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'

// Clients are elsewhere in earnest: none of them takes processors from Berth, or has to wait for what Berth computes.

/** For an attacker in this process: what its client computes is not at Berth's cost. */
export const takeLowestPriority = (): Promise<void> => take(process.pid, constants.priority.PRIORITY_LOW)

/**
 * For a client that measures, in a session of its own: what it waits for is Berth, not its turn on this machine. By niceness
 * alone, Linux lets others finish their slice of 3 ms first; under the real-time policy it does not.
 */
export async function giveHighestPriority(pid: number): Promise<void> {
  await take(pid, constants.priority.PRIORITY_HIGHEST)
  await promisify(execFile)('chrt', ['--all-tasks', '--fifo', '--pid', '1', String(pid)]).catch(() =>
    console.log(
      'The system allows the client no real-time priority: some of the times below are waits for its own turn',
    ),
  )
}

async function take(pid: number, niceness: number): Promise<void> {
  setPriority(pid, niceness)
  // Linux may share the processor between sessions first; Berth and other clients have sessions of their own.
  await writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {})
}
