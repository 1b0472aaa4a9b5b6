import type { EngineCommand, EnginePointInTime } from '../../app-types/engines/engine.ts'
import type { Rollout } from '../../engines/runtime/container-runtime.ts'
import { contentOf, pieceContent } from '../../storage/backups/stored-backup.ts'
import type { Backup, WalPiece } from '../../storage/database/generated/prisma/client.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { askWalCommand, runWalCommand } from '../point-in-time/wal-commands.ts'
import type { ServiceContainer } from '../service/service-container.ts'
import { secondsLeft, succeeded } from './backup-command.ts'
import { progressOf, reported } from './progress.ts'
import type { ReplayPlan } from './replay-plan.ts'
import { serviceTask } from './service-task.ts'

/** Files of the backup, and the log that makes them consistent, into an empty volume. */
export async function restoreFiles(
  attempt: VersionAttemptContext,
  { engine }: ServiceContainer,
  backup: Backup,
  { target, first }: ReplayPlan,
  volume: NonNullable<Rollout['volume']>,
): Promise<void> {
  const { restoreFiles: command, replay } = commandsOf(engine)
  const files = reported(contentOf(attempt, attempt.appEnv.account, backup), progressOf(attempt, 'restore', 'restored'))
  await inTask(attempt, 'restores the files', { purpose: 'restore', command, volume }, files)
  await inTask(
    attempt,
    'prepares the replay',
    { purpose: 'replay', command: replay.prepare, volume, environment: { TARGET: target } },
    logOf(attempt, backup, first),
  )
}

/** Replays the log in the engine, which answers already, up to the target. Returns the time of the last change. */
export async function replayLog(
  attempt: VersionAttemptContext,
  service: ServiceContainer,
  backup: Backup,
  { further }: ReplayPlan,
  name: string,
): Promise<string> {
  const { feed, finish } = commandsOf(service.engine).replay
  const source = { ...service, name }
  const about = { environment: {}, reason: 'RESTORE_FAILED', timeoutSeconds: secondsLeft(attempt) } as const
  if (further.length > 0) {
    const input = reported(logOf(attempt, backup, further), progressOf(attempt, 'restore', 'of the log replayed'))
    await runWalCommand(attempt, source, feed, { ...about, what: 'replays the log', input })
  }
  return askWalCommand(attempt, source, finish, { ...about, what: 'ends the replay' })
}

function commandsOf({ pointInTime, title }: ServiceContainer['engine']): EnginePointInTime {
  if (!pointInTime) throw new Error(`${title} has no log to replay`)
  return pointInTime
}

async function inTask(
  attempt: VersionAttemptContext,
  what: string,
  work: {
    purpose: string
    command: EngineCommand
    volume: NonNullable<Rollout['volume']>
    environment?: Record<string, string>
  },
  input: AsyncIterable<Uint8Array>,
): Promise<void> {
  const task = await serviceTask(attempt, work)
  const running = attempt.engine.runTask(task, { input, timeoutSeconds: secondsLeft(attempt) })
  await succeeded(attempt, 'RESTORE_FAILED', what, running)
}

/** The pieces as one stream. */
async function* logOf(
  attempt: VersionAttemptContext,
  { accountId, archiveId, presetVersion }: Backup,
  pieces: readonly WalPiece[],
): AsyncGenerator<Uint8Array> {
  const { storageCredentialId } = await attempt.database.walArchive.findUniqueOrThrow({
    where: { id: archiveId ?? '' },
  })
  const place = { accountId, storageCredentialId, presetVersion }
  for (const piece of pieces) yield* pieceContent(attempt, attempt.appEnv.account, place, piece)
}
