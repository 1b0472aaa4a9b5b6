import { fullPercentOf } from '../../domain/volume-use.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { record } from '../../storage/events/record.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { onEngine } from '../scope/engine-scope.ts'

const TIMEOUT_SECONDS = 300
const MEASURED_AT_ONCE = 500
const BYTES_PER_MB = 1024 * 1024

/** Measures the data of volumes, so that their environments are warned before they are full. */
export async function measureVolumes(context: WorkerContext, signal: AbortSignal): Promise<void> {
  const { runtime, scope, engineHealth, database } = context
  engineHealth.assertReachable()
  for (let after = ''; ; ) {
    const volumes = await database.volume.findMany({
      where: { deletedAt: null, id: { gt: after }, ...onEngine(scope) },
      include: { appEnv: { select: { id: true, appId: true } } },
      orderBy: { id: 'asc' },
      take: MEASURED_AT_ONCE,
    })
    if (volumes.length === 0) return
    const ids = volumes.map(({ id }) => id)
    const use = await runtime.volumeUse(ids, { signal, timeoutSeconds: TIMEOUT_SECONDS })
    for (const volume of volumes) {
      const bytes = use.get(volume.id)
      if (bytes !== undefined) await recordUse(context, volume, Math.ceil(bytes / BYTES_PER_MB))
    }
    after = ids.at(-1) ?? ''
  }
}

interface Measured {
  id: string
  accountId: string
  diskMb: number
  usedMb: number | null
  fullPercent: number
  appEnv: { id: string; appId: string } | null
}

/** One event for each threshold, whichever worker measures. A volume that was emptied may reach it again. */
async function recordUse({ database }: WorkerContext, volume: Measured, usedMb: number): Promise<void> {
  const { id, accountId, diskMb, appEnv } = volume
  const fullPercent = fullPercentOf({ usedMb, diskMb })
  if (usedMb === volume.usedMb && fullPercent === volume.fullPercent) return
  await database.$transaction(async (tx) => {
    const { count } = await tx.volume.updateMany({
      where: { id, fullPercent: volume.fullPercent, diskMb },
      data: { usedMb, fullPercent, updatedAt: await databaseTime(tx) },
    })
    if (count === 0 || fullPercent <= volume.fullPercent || !appEnv) return
    const payload = { volumeId: id, percent: fullPercent, usedMb, diskMb }
    await record(tx, accountId, [{ type: 'volume.filling', appId: appEnv.appId, appEnvId: appEnv.id, payload }])
  })
}

const DELETED_AT_ONCE = 20

/** Removes deleted volumes from the engine, then their rows. A volume that a container still uses is retried later. */
export async function deleteVolumes(
  { database, scope, runtime, config, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  const where = { deletedAt: { not: null }, ...onEngine(scope) }
  const deleted = await database.volume.findMany({ where, take: DELETED_AT_ONCE })
  for (const { id } of deleted) {
    try {
      await runtime.removeVolume(id, { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS })
      await database.volume.deleteMany({ where: { id } })
      // They open nothing any more: it is gone.
      await database.serviceCredentials.deleteMany({
        where: { volumes: { none: {} }, appEnvs: { none: { deletedAt: null } } },
      })
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error, volumeId: id }, 'Removing a deleted volume failed; it is retried')
    }
  }
}
