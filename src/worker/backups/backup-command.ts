import type { ExecResult } from '../../engines/runtime/container-runtime.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'

/** Waits for a command. Throws BackupFailed, with its words, when it fails. */
export async function succeeded(
  attempt: AttemptContext,
  reason: 'RESTORE_FAILED' | 'VERIFY_FAILED',
  what: string,
  running: Promise<ExecResult>,
): Promise<void> {
  const { exitCode, errorOutput } = await running
  if (exitCode === 0) return
  const said = await attempt.quote(errorOutput.trim())
  throw new BackupFailed(reason, `The command that ${what} ended with ${exitCode}: ${said}`)
}

/** The operation's deadline ends a command in any case. */
export const secondsLeft = ({ deadline }: AttemptContext): number => Math.max(1, Math.ceil(deadline.leftMs / 1000))
