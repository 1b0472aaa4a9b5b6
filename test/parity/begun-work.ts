import type { World } from '../support/world.ts'

/** How what a call has begun may end, in the words of the header Operation-Status. */
export type WorkOutcome = 'SUCCEEDED' | 'FAILED' | 'CANCELLED'

interface WorkKind {
  /** Where it is not the column `id`. */
  id?: string
  /** Rows that a worker has yet to bring to an end. */
  open: string
  /** Ends one of them as a worker does; of outcomes that are not there, no row of the kind ends so. */
  end: Partial<Record<WorkOutcome, (world: World, id: string) => Promise<unknown>>>
}

const set =
  (table: string, assignments: string) =>
  ({ database }: World, id: string) =>
    database.$executeRawUnsafe(`UPDATE "${table}" SET ${assignments} WHERE id = $1`, id)

const remove =
  (table: string) =>
  ({ database }: World, id: string) =>
    database.$executeRawUnsafe(`DELETE FROM "${table}" WHERE id = $1`, id)

/** As long as a worker has not taken the event, there is no delivery of it. */
async function takeTest({ database }: World, id: string, status: 'DELIVERED' | 'FAILED'): Promise<void> {
  const event = await database.event.findFirstOrThrow({ where: { payload: { path: ['deliveryId'], equals: id } } })
  const { sequence, type: eventType, payload } = event
  const { webhookId } = payload as { webhookId: string }
  await database.webhookDelivery.create({
    data: { id, webhookId, sequence, eventType, queue: id, status, attempts: 1, endedAt: new Date() },
  })
}

/** Everything that a call can begin and a worker brings to an end, by table. */
export const WORK: Readonly<Record<string, WorkKind>> = {
  operation: {
    open: `status IN ('QUEUED', 'RUNNING')`,
    end: {
      SUCCEEDED: (world, id) => world.endOperation(id, 'SUCCEEDED'),
      FAILED: (world, id) => world.endOperation(id, 'FAILED'),
    },
  },
  job_run: {
    open: `status IN ('QUEUED', 'RUNNING')`,
    end: {
      SUCCEEDED: set('job_run', `status = 'SUCCEEDED', exit_code = 0, finished_at = now(), version = version + 1`),
      FAILED: set('job_run', `status = 'TIMED_OUT', reason = 'TIMED_OUT', finished_at = now(), version = version + 1`),
      CANCELLED: set(
        'job_run',
        `status = 'CANCELLED', reason = 'REPLACED', finished_at = now(), version = version + 1`,
      ),
    },
  },
  host: {
    open: `check_at <= now()`,
    end: {
      SUCCEEDED: set('host', `status = 'VALID', check_at = now() + interval '1 hour', last_validation_at = now()`),
      FAILED: set('host', `status = 'INVALID', check_at = now() + interval '1 hour', last_validation_at = now()`),
    },
  },
  event: {
    id: `payload ->> 'deliveryId'`,
    open: `type = 'webhook.tested' AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.id = t.payload ->> 'deliveryId')`,
    end: {
      SUCCEEDED: (world, id) => takeTest(world, id, 'DELIVERED'),
      FAILED: (world, id) => takeTest(world, id, 'FAILED'),
    },
  },
  webhook_delivery: {
    open: `status = 'PENDING'`,
    end: {
      SUCCEEDED: set('webhook_delivery', `status = 'DELIVERED', ended_at = now()`),
      FAILED: set('webhook_delivery', `status = 'FAILED', ended_at = now()`),
    },
  },
  solution_installation: {
    open: `status = 'INSTALLING' AND deleted_at IS NULL`,
    end: { SUCCEEDED: set('solution_installation', `status = 'INSTALLED', finished_at = now()`) },
  },
  volume: { open: `deleted_at IS NOT NULL`, end: { SUCCEEDED: remove('volume') } },
  build_cache: {
    id: 'account_id',
    open: 'clear_requested_at IS NOT NULL',
    end: {
      SUCCEEDED: ({ database }, accountId) =>
        database.buildCache.updateMany({
          where: { accountId },
          data: { clearRequestedAt: null, clearedAt: new Date() },
        }),
    },
  },
  source_inspection: {
    open: `status = 'QUEUED'`,
    end: {
      SUCCEEDED: set('source_inspection', `status = 'SUCCEEDED', ended_at = now()`),
      FAILED: set('source_inspection', `status = 'FAILED', reason = 'SOURCE_NOT_FOUND', ended_at = now()`),
    },
  },
  backup: { open: `status = 'DELETING'`, end: { SUCCEEDED: remove('backup') } },
}

export interface BegunWork {
  table: string
  id: string
}

/** What is open now, by table and id. */
export async function openWork({ database }: World): Promise<BegunWork[]> {
  const selects = Object.entries(WORK).map(
    ([table, { open, id = 'id' }]) => `SELECT '${table}' AS "table", ${id} AS id FROM "${table}" t WHERE ${open}`,
  )
  return database.$queryRawUnsafe<BegunWork[]>(`${selects.join(' UNION ALL ')} ORDER BY 1, 2`)
}

/** Ends everything that is open in one way, or as near to it as its kind allows. */
export async function endWork(world: World, outcome: WorkOutcome): Promise<void> {
  for (const { table, id } of await openWork(world)) {
    const { end } = WORK[table] as WorkKind
    await (end[outcome] ?? end.SUCCEEDED)?.(world, id)
  }
}
