import { recordedConfiguration } from '../../domain/configuration.ts'
import { resourcesOf, zCloudsOf } from '../../domain/resources.ts'
import { followRun, isNothing, type SeenRun, type UsageInterval, type UsageKind } from '../../domain/usage-interval.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../database/client.ts'
import type { UsageInterval as Row } from '../database/generated/prisma/client.ts'
import { databaseTime } from '../database/time.ts'
import { lockOpenSince } from './usage-account.ts'

const EVER = new Date(0)

/** A container of an environment, and how it was seen. */
export interface Sighting {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  containerId: string
  seen: SeenRun
}

/** Writes what was seen of containers. Writing the same again changes nothing, from any worker. */
export async function recordUsage(database: Database, sightings: readonly Sighting[]): Promise<void> {
  const known = await newestOf(
    database,
    sightings.map(({ containerId }) => containerId),
  )
  for (const sighting of sightings) {
    // Most of it is known, and needs no lock.
    if (isNothing(followRun(known.get(sighting.containerId) ?? null, sighting.seen, EVER))) continue
    await database.$transaction((tx) => recordSighting(tx, sighting))
    failpoint('usage.recorded', sighting.appEnvId)
  }
}

/** The newest interval of each of these sources. */
export async function newestOf(
  database: Pick<Transaction, '$queryRaw' | 'usageInterval'>,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  if (sourceIds.length === 0) return new Map()
  const ids = await database.$queryRaw<{ id: bigint }[]>`
    SELECT max(id) AS id FROM usage_interval WHERE source_id = ANY(${[...sourceIds]}::text[]) GROUP BY source_id`
  const rows = await database.usageInterval.findMany({ where: { id: { in: ids.map(({ id }) => id) } } })
  return new Map(rows.map((row) => [row.sourceId, row]))
}

/** The same within a transaction that does more. */
export async function recordSighting(tx: Transaction, sighting: Sighting): Promise<void> {
  const { accountId, containerId, seen } = sighting
  const openSince = (await lockOpenSince(tx, [accountId])).get(accountId)
  if (!openSince) return
  // First sightings of one container by several workers wait for each other.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`usage/${containerId}`}, 0))`
  // The statement that ends many vanished containers at once takes no such lock, so its result is read before adding.
  await tx.$queryRaw`SELECT 1 FROM usage_interval WHERE source_id = ${containerId} AND NOT has_ended FOR UPDATE`
  const newest = (await newestOf(tx, [containerId])).get(containerId) ?? null
  const change = followRun(newest, seen, openSince)
  if (newest && change.newest) {
    await tx.usageInterval.update({ where: { id: newest.id }, data: change.newest })
    failpoint('usage.written', sighting.appEnvId)
  }
  if (change.added.length === 0) return
  const facts = newest ?? (await factsOf(tx, sighting))
  if (!facts) return
  for (const added of change.added) {
    const amount = await amountFor(tx, sighting, added)
    await tx.usageInterval.create({ data: { ...sourceOf(facts), ...added, amount, contentId: sighting.contentId } })
  }
}

/**
 * A container has just been frozen, or goes on. If a worker is killed before it records that, the next measurement
 * does, and the time in between is not counted.
 */
export async function recordKind(database: Database, containerId: string, kind: UsageKind): Promise<void> {
  const newest = (await newestOf(database, [containerId])).get(containerId)
  if (!newest?.contentId || newest.hasEnded) return
  const { accountId, appId, appEnvId, contentId, runAt, restartCount } = newest
  const seenAt = await databaseTime(database)
  const seen = { kind, runAt, restartCount, seenAt, finishedAt: null, formerEndAt: null, hasJustChanged: true }
  await database.$transaction((tx) => recordSighting(tx, { accountId, appId, appEnvId, contentId, containerId, seen }))
}

/** How a run ended is not known: what is known to have been used ends it. */
export async function endUnseen(tx: Transaction, containerId: string): Promise<void> {
  await tx.usageInterval.updateMany({ where: { sourceId: containerId, hasEnded: false }, data: { hasEnded: true } })
}

type Facts = Pick<Row, 'accountId' | 'appId' | 'appEnvId' | 'envName' | 'sourceId'>

const sourceOf = ({ accountId, appId, appEnvId, envName, sourceId }: Facts): Facts => ({
  accountId,
  appId,
  appEnvId,
  envName,
  sourceId,
})

/** Null for a container of an environment that is not in the database, which is about to be removed. */
async function factsOf(tx: Transaction, { containerId, accountId, appId, appEnvId }: Sighting): Promise<Facts | null> {
  const appEnv = await tx.appEnv.findUnique({ where: { id: appEnvId }, select: { cliEnvName: true } })
  return appEnv && { accountId, appId, appEnvId, envName: appEnv.cliEnvName, sourceId: containerId }
}

/** As the version of the container was recorded with: frozen, it keeps its memory only. Of a build, its time alone. */
async function amountFor(tx: Transaction, { contentId }: Sighting, { kind }: UsageInterval): Promise<bigint> {
  if (kind === 'BUILD') return 1n
  const content = await tx.content.findUnique({ where: { id: contentId }, select: { configuration: true } })
  if (!content) return 0n
  const resources = resourcesOf(recordedConfiguration(content))
  return BigInt(kind === 'FROZEN' ? resources.memoryMb : Math.round(zCloudsOf(resources) * 1000))
}

/** Workers report regularly that they still build; after this many missed reports, the build is lost. */
const SILENT_TIMES = 5

/** Ends builds whose worker was killed: they count until it last said that it builds. */
export const endLostBuilds = (database: Pick<Database, '$executeRaw'>, everySeconds: number) =>
  database.$executeRaw`
    UPDATE usage_interval SET has_ended = true
    WHERE kind = 'BUILD' AND NOT has_ended AND until < now() - make_interval(secs => ${everySeconds * SILENT_TIMES}::float8)`

const AT_ONCE = 5_000

/** The beginning of the oldest month of which the usage log is kept. */
export const keptSince = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))

/** Of months that are closed alone: their statements stay. */
export const deleteOldUsage = (database: Database, now: Date, months: number) =>
  database.$executeRaw`
    DELETE FROM usage_interval WHERE id IN (
      SELECT i.id FROM usage_interval i JOIN usage_account a ON a.account_id = i.account_id
      WHERE i.has_ended AND i.until < least(a.open_since, ${keptSince(now, months)}::timestamptz) LIMIT ${AT_ONCE})`
