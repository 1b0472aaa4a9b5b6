import { recordedConfiguration } from '../../domain/configuration.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { exitOf } from '../version/container-ends.ts'
import { lastLines } from '../version/last-lines.ts'
import type { ReplicaPlan } from './replica-plan.ts'

/** Ends are recorded beside reconciling, so that one is known a little later than it was observed. */
const RECORDED_WITHIN_SECONDS = 60
/** Until the engine reports that it was for memory: some do so a moment later. */
const CORRECTED = 'CONTAINER_EXITED'

interface EarlyExit {
  containerId: string
  name: string
  exitCode: number | null
  outOfMemory: boolean
  seconds: number
}

/**
 * Records on the version that serves, and on its operation, that a container ended soon after it had taken traffic: the
 * deployment has succeeded, and may be of no use all the same. The first such end counts, and what it was for; the engine starts the container
 * again, and the next reconcile sees one that runs.
 */
export async function noteEarlyExit(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { wanted }: ReplicaPlan,
): Promise<void> {
  const { currentContent: content, rolloutId } = appEnv
  const { BERTH_EARLY_EXIT_SECONDS: withinSeconds } = context.config
  const ended = wanted.flatMap(({ index, observed }) =>
    observed && (observed.restartCount > 0 || observed.exitCode !== null) ? [{ index, observed }] : [],
  )
  const isOpen = content?.reason === null || content?.reason === CORRECTED
  if (!content || !rolloutId || !isOpen || ended.length === 0 || withinSeconds === 0) return
  if (!isRecent(context, appEnv, withinSeconds)) return
  const exit = await findExit(context, rolloutId, content.id, withinSeconds)
  const replica = ended.find(({ observed }) => observed.containerId === exit?.containerId)
  if (!exit || !replica) return
  const reason = exit.outOfMemory ? 'OUT_OF_MEMORY' : CORRECTED
  if (reason === content.reason) return
  const end = exitOf({ ...replica.observed, ...exit, phase: 'exited' })
  const lines = await lastLines(context, { name: exit.name, startedAt: null })
  const message = await context.quote(
    `Container ${replica.index} ${end} ${Math.round(exit.seconds)} s after version ${content.version} was deployed. ${adviceFor(exit, content)}${lines}`,
  )
  context.log.warn(
    { appEnvId: appEnv.id, contentId: content.id, reason },
    'A container ended soon after its deployment',
  )
  await fenced(context.database, context.lease, async (tx) => {
    await tx.content.updateMany({ where: { id: content.id, reason: content.reason }, data: { reason, message } })
    await noteOnOperation(tx, rolloutId, { reason, message }, content.reason)
  })
}

/** Most containers that were ever started again belong to versions that were deployed long ago. */
function isRecent(
  { lease }: EnvironmentContext,
  { replicas, rolloutId }: ClaimedAppEnv,
  withinSeconds: number,
): boolean {
  const since = lease.claim.clock.now().getTime() - (withinSeconds + RECORDED_WITHIN_SECONDS) * 1000
  return replicas.some((row) => row.rolloutId === rolloutId && row.createdAt.getTime() >= since)
}

async function findExit(
  { database }: EnvironmentContext,
  rolloutId: string,
  contentId: string,
  withinSeconds: number,
): Promise<EarlyExit | null> {
  const [found] = await database.$queryRaw<EarlyExit[]>`
    SELECT c.container_id AS "containerId", c.name, c.last_exit_code AS "exitCode",
           c.last_exit_out_of_memory AS "outOfMemory",
           extract(epoch FROM c.last_exit_at - o.finished_at)::float8 AS seconds
      FROM operation o
      JOIN container c ON c.app_env_id = o.app_env_id AND c.content_id = ${contentId}
     WHERE o.id = ${rolloutId} AND c.last_exit_at >= o.finished_at
       AND c.last_exit_at <= o.finished_at + make_interval(secs => ${withinSeconds})
     ORDER BY c.last_exit_at LIMIT 1`
  return found ?? null
}

function adviceFor({ outOfMemory }: EarlyExit, content: { configuration: unknown }): string {
  if (!outOfMemory)
    return 'The engine starts it again. Read its logs, then deploy a version that keeps running, or roll back.'
  const { memoryMb } = resourcesOf(recordedConfiguration(content))
  return `It may use ${memoryMb} MB of memory. Give it more (PATCH /app-env/resources) and apply that, or roll back.`
}

const noteOnOperation = (
  tx: Transaction,
  id: string,
  noted: { reason: string; message: string },
  before: string | null,
) =>
  tx.operation.updateMany({
    where: { id, status: 'SUCCEEDED', reason: before },
    data: { ...noted, version: { increment: 1 } },
  })
