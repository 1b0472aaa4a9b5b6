import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'

// Clients are elsewhere in earnest: none of them takes processors from Berth, or has to wait for what Berth computes.

/** For an attacker in this process: what its client computes is not at Berth's cost. */
export const takeLowestPriority = (): Promise<void> => take(process.pid, constants.priority.PRIORITY_LOW)

/** For a client that measures, in a session of its own: what it waits for is Berth, not its turn on this machine. */
export const giveHighestPriority = (pid: number): Promise<void> => take(pid, constants.priority.PRIORITY_HIGHEST)

async function take(pid: number, niceness: number): Promise<void> {
  setPriority(pid, niceness)
  // Linux may share the processor between sessions first; Berth and other clients have sessions of their own.
  await writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {})
}
