import { type OutputLine, outputOf } from '../../domain/run-output.ts'
import type { Database } from '../../storage/database/client.ts'
import { type Container, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { Collection } from '../logs/collection.ts'
import { bytesOf, type LogStreamClaim, type LogStreamLine, type Progress, writeLines } from '../logs/log-stream.ts'
import type { LoadedRun, RunContext } from './run-context.ts'
import type { RunLease } from './run-lease.ts'

/** Lines in which the output of a run is looked for, from the end. */
const LAST_LINES = 200
const MAX_RUN_DAYS = 8

export interface OpenOutput {
  collection: Collection
  row: Container
  /** Whether lines were left out, because there were too many. */
  hasDropped: () => boolean
}

/**
 * The output of a run's container, in the log stream of the environment's runs. Many workers write that stream: its row
 * is locked for the numbers only, and each container's checkpoint is moved under the fencing token of its run.
 */
export async function openOutput(
  { database, lease, output }: RunContext,
  { run }: LoadedRun,
  { containerId, name }: { containerId: string; name: string },
): Promise<OpenOutput> {
  const { appEnvId, accountId, contentId } = run
  const [stream] = await database.$queryRaw<{ id: number }[]>`
    INSERT INTO log_stream AS s (app_env_id, kind) VALUES (${appEnvId}, 'RUNS')
    ON CONFLICT (app_env_id, kind) DO UPDATE SET kind = s.kind RETURNING id`
  if (!stream) throw new Error('The log stream of runs could not be opened')
  // No replica: it is removed from the start, as a build is, and for its lines' sake not before the run has ended.
  const removedAt = new Date(Date.now() + MAX_RUN_DAYS * 86_400_000)
  const row = await database.container.upsert({
    where: { containerId },
    create: { containerId, appEnvId, contentId, name, phase: 'run', startedAt: new Date(), removedAt },
    update: { phase: 'run', removedAt },
  })
  // The output of a command reads as it is: no engine wrote it.
  const claim = {
    id: stream.id,
    appEnvId,
    accountId,
    preset: null,
    token: lease.claim.token,
    lastNumber: 0n,
    leaseSeconds: 0,
  }
  let hasDropped = false
  const access = {
    async append(_: unknown, { id }: LogStreamClaim, lines: readonly LogStreamLine[], progress: readonly Progress[]) {
      hasDropped ||= lines.some(({ isNotice }) => isNotice)
      return appendLines(database, lease, id, lines, progress)
    },
    release: async () => 0,
  }
  return { collection: new Collection({ ...output, stream: access }, claim), row, hasDropped: () => hasDropped }
}

/** False when another worker has the run. Its row is locked first, so that a claim waits for what is being written. */
const appendLines = (
  database: Database,
  { runId, claim, appEnvId }: RunLease,
  streamId: number,
  lines: readonly LogStreamLine[],
  progress: readonly Progress[],
): Promise<boolean> =>
  writeLines(database, lines, progress, {
    appEnvId,
    numbered: Prisma.sql`
      UPDATE log_stream SET last_number = last_number + ${lines.length}, bytes = bytes + ${bytesOf(lines)}
      FROM (SELECT id FROM job_run WHERE id = ${runId} AND lease_token = ${claim.token} FOR SHARE) held
      WHERE log_stream.id = ${streamId} RETURNING log_stream.id, last_number`,
  })

/** The JSON that the command left at the end of its standard output; undefined when there is none. */
export async function readOutput({ engine }: RunContext, containerId: string): Promise<unknown> {
  const lines: OutputLine[] = await engine.tail(containerId, LAST_LINES)
  return outputOf(lines)
}
