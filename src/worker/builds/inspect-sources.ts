import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { InspectedSource } from '../../builder/inspect-tree.ts'
import { locateSource } from '../../builder/locate-source.ts'
import { startSourceReader } from '../../builder/source-reader/start-source-reader.ts'
import type { Config } from '../../config/config.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { SourceInspection } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { InstallationContext } from '../context/worker-context.ts'
import { assertOwnInstallation } from './build.ts'
import { readerLimitsOf, sourceLimitsOf } from './source-limits.ts'

/** Of different accounts: one that is slow holds up three others at most, until its deadline. */
const AT_ONCE = 4
const DEADLINE_SECONDS = 60
/** When a worker dies meanwhile, another one repeats it after this long. */
const CLAIM_SECONDS = DEADLINE_SECONDS + 30
/** A source that kills its worker again and again is left. */
const MAX_ATTEMPTS = 3
/** Answers are read once, soon. */
const KEPT_MINUTES = 60

type Context = Pick<InstallationContext, 'database' | 'config' | 'log'>

/** Reads the sources that are to be inspected, of each account the oldest. True: more may be due at once. */
export async function inspectSources(context: Context, signal: AbortSignal): Promise<boolean> {
  const claimed = await claim(context)
  await Promise.all(claimed.map((inspection) => inspect(context, inspection, signal)))
  return claimed.length > 0
}

const claim = ({ database }: Context) =>
  database.$queryRaw<{ id: string; attempts: number }[]>`
    UPDATE source_inspection SET attempts = attempts + 1,
      claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS}::int)
    WHERE id IN (
      SELECT id FROM source_inspection s WHERE status = 'QUEUED' AND (claimed_until IS NULL OR claimed_until < now())
        AND NOT EXISTS (SELECT FROM source_inspection o WHERE o.account_id = s.account_id AND o.status = 'QUEUED'
          AND (o.id < s.id OR o.claimed_until >= now()))
      ORDER BY id LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
    RETURNING id, attempts`

type Ended = Partial<InspectedSource> &
  Pick<SourceInspection, 'status'> & { commit?: string | null; reason?: string; message?: string }

async function inspect(context: Context, { id, attempts }: { id: string; attempts: number }, stopping: AbortSignal) {
  const { database, log } = context
  const inspection = await database.sourceInspection.findUnique({ where: { id } })
  if (!inspection) return
  const ended = await read(context, inspection, attempts, stopping).catch((error: unknown): Ended | null => {
    if (stopping.aborted) return null
    const failed = error instanceof BuildFailure ? error : null
    if (!failed) log.warn({ err: error, inspectionId: id }, 'Inspecting a source failed')
    const message = failed?.message ?? 'The source could not be read; ask again'
    return { status: 'FAILED', reason: failed?.reason ?? 'SOURCE_UNREACHABLE', message }
  })
  // Another worker took it over, when this one was slow.
  const where = { id, attempts, status: 'QUEUED' as const }
  if (ended)
    await database.sourceInspection.updateMany({ where, data: { ...ended, endedAt: await databaseTime(database) } })
}

async function read(
  context: Context,
  { id, accountId, url, branch, installationId, contextDir }: SourceInspection,
  attempts: number,
  stopping: AbortSignal,
): Promise<Ended> {
  const { config } = context
  if (attempts > MAX_ATTEMPTS)
    throw new BuildFailure('SOURCE_REFUSED', `The source could not be read in ${MAX_ATTEMPTS} attempts`)
  const late = new BuildFailure('SOURCE_TIMEOUT', `The source was not read within ${DEADLINE_SECONDS} s`)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(late), DEADLINE_SECONDS * 1000)
  const signal = AbortSignal.any([stopping, deadline.signal])
  const directory = join(foldersOf(config), `${id}.${attempts}`)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const source = { kind: 'git', url, branch, commit: null, installationId } as const
    await assertOwnInstallation({ ...context, appEnv: { accountId } }, source)
    const located = await locateSource(source, directory, sourceLimitsOf(config, signal))
    await using reader = startSourceReader(directory, readerLimitsOf(config, { timeoutSeconds: DEADLINE_SECONDS }))
    const fetched = await located.fetch(reader)
    const found = await reader.read('inspect', { tree: fetched?.folder ?? directory, contextDir }, signal)
    return { status: 'SUCCEEDED', commit: located.commit, ...found }
  } finally {
    clearTimeout(timer)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

const foldersOf = ({ BERTH_DATA_DIR }: Config): string => resolve(BERTH_DATA_DIR, 'inspections')

/** Removes old answers, requests that no worker has read in time, and folders of workers that were killed. */
export async function sweepInspections({ database, config }: Omit<Context, 'log'>): Promise<void> {
  await database.$executeRaw`
    DELETE FROM source_inspection WHERE created_at < now() - make_interval(mins => ${KEPT_MINUTES}::int)`
  const names = await readdir(foldersOf(config)).catch(() => [])
  const ids = names.map((name) => name.split('.')[0] ?? '')
  const open = await database.sourceInspection.findMany({ where: { id: { in: ids }, status: 'QUEUED' } })
  const used = new Set(open.map(({ id, attempts }) => `${id}.${attempts}`))
  for (const name of names.filter((name) => !used.has(name)))
    await rm(join(foldersOf(config), name), { recursive: true, force: true })
}
