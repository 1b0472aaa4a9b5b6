import type { ContainerRuntime, ObservedReplica, ObservedRun } from '../../engines/runtime/container-runtime.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import type { Database } from '../../storage/database/client.ts'
import { newestOf, type Sighting } from '../../storage/usage/usage-log.ts'

/** What observed containers mean for usage. `seenAt`: the database's time before they were observed, where it is known. */
export const sightingsOf = (observed: readonly ObservedReplica[], seenAt: Date | null = null): Sighting[] =>
  observed.flatMap((replica) => sightingOf(replica, seenAt))

/** Of one pass: so many environments are asked about at the same time. */
const ENVIRONMENTS_AT_ONCE = 4

/**
 * All containers of environments, by a list of them: only those that run, or are not as the log has them, are inspected.
 * What sleeps costs nothing.
 */
export async function replicaSightings(
  { database, runtime, ...bounds }: Asking,
  listed: readonly ObservedReplica[],
  seenAt: Date,
): Promise<Sighting[]> {
  const known = await newestOf(
    database,
    listed.map(({ containerId }) => containerId),
  )
  const frozen: Sighting[] = []
  const toInspect = new Set<string>()
  for (const replica of listed) {
    const newest = known.get(replica.containerId)
    if (replica.phase === 'paused' && newest?.kind === 'FROZEN' && !newest.hasEnded)
      frozen.push(...sightingOf({ ...replica, startedAt: newest.runAt, finishedAt: null }, seenAt))
    else if (!isAtRest(replica, newest?.hasEnded)) toInspect.add(replica.appEnvId)
  }
  const inspected = await inParallel([...toInspect], ENVIRONMENTS_AT_ONCE, (appEnvId) =>
    runtime.observe({ appEnvId }, bounds),
  )
  const isFrozen = new Set(frozen.map(({ containerId }) => containerId))
  const others = sightingsOf(inspected.flat(), seenAt).filter(({ containerId }) => !isFrozen.has(containerId))
  return [...frozen, ...others]
}

/** It does not run, and how long it did is recorded. */
const isAtRest = ({ phase }: ObservedReplica, hasEnded: boolean | undefined): boolean =>
  phase === 'created' ? hasEnded !== false : (phase === 'exited' || phase === 'dead') && hasEnded === true

function sightingOf(replica: ObservedReplica, seenAt: Date | null): Sighting[] {
  const { accountId, appId, appEnvId, contentId, containerId, phase, startedAt, restartCount } = replica
  const isUp = phase === 'running' || phase === 'paused'
  if (!startedAt || phase === 'created' || (!isUp && !replica.finishedAt)) return []
  const seen = {
    kind: phase === 'paused' ? ('FROZEN' as const) : ('COMPUTE' as const),
    runAt: startedAt,
    finishedAt: isUp ? null : replica.finishedAt,
    seenAt: isUp ? seenAt : null,
    // A container that runs again still has the time at which it ended before.
    formerEndAt: isUp ? replica.finishedAt : null,
    restartCount,
  }
  return [{ accountId, appId, appEnvId, contentId, containerId, seen }]
}

interface Asking {
  database: Database
  runtime: ContainerRuntime
  timeoutSeconds: number
  signal: AbortSignal
}

/** Of one pass: the others are seen by the next, and what has ended by then is recorded with its run. */
const MAX_QUESTIONS = 100

/** The containers of job runs that are running. Their start is read once, because it takes a call for each. */
export async function runSightings(
  { database, runtime, ...bounds }: Asking,
  observed: readonly ObservedRun[],
  seenAt: Date,
): Promise<Sighting[]> {
  const running = observed.filter(({ phase }) => phase === 'running')
  const known = await newestOf(
    database,
    running.map(({ containerId }) => containerId),
  )
  const rows = await database.jobRun.findMany({
    where: { id: { in: running.map(({ runId }) => runId) } },
    select: { id: true, accountId: true, contentId: true, appEnv: { select: { appId: true } } },
  })
  const runs = new Map(rows.map((row) => [row.id, row]))
  const sightings: Sighting[] = []
  let questions = 0
  for (const { runId, containerId, appEnvId } of running) {
    const run = runs.get(runId)
    if (!run) continue
    let runAt = known.get(containerId)?.runAt ?? null
    if (!runAt && questions < MAX_QUESTIONS) {
      questions += 1
      runAt = (await runtime.observeRuns({ containerId }, bounds))[0]?.startedAt ?? null
    }
    if (!runAt) continue
    const { accountId, contentId, appEnv } = run
    const seen = { kind: 'JOB_RUN' as const, runAt, finishedAt: null, seenAt, formerEndAt: null, restartCount: 0 }
    sightings.push({ accountId, appId: appEnv.appId, appEnvId, contentId, containerId, seen })
  }
  return sightings
}
