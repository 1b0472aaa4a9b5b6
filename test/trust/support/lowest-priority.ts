import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'

/** An attacker is elsewhere in earnest: what its client computes here, in this process, is not at Berth's cost. */
export async function takeLowestPriority(): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW)
  // Linux may share the processor between sessions first; Berth and other clients have sessions of their own.
  await writeFile('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW)).catch(() => {})
}
