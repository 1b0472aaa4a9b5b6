import type { EngineMetric, Reading } from '../../app-types/engines/engine-metrics.ts'
import { ENGINES } from '../../app-types/engines/list.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'
import { databaseSecond } from '../../storage/database/time.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { askEngine } from '../service/ask-engine.ts'
import { serviceContainer } from '../service/service-container.ts'
import type { ReadingHistory } from './reading-history.ts'

/** Each takes up to ten seconds; none of them holds up those of other services for ever. */
const AT_ONCE = 4
const THOUSANDTHS = 1000

type MeasuringContext = Pick<WorkerContext, 'database' | 'runtime' | 'vault' | 'log'>

/**
 * Asks the engines of managed services for their metrics, in one round. Each environment has one worker that asks, the one
 * that collects its logs. All samples get the same time, so that those of one environment can be combined.
 */
export async function measureServices(
  context: MeasuringContext,
  history: ReadingHistory,
  appEnvIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { database } = context
  const services = await runningServices(database, appEnvIds)
  history.keep(new Set(services.map(({ container }) => container.id)))
  const due = services.filter(({ container }) => history.isDue(container.id))
  const at = await databaseSecond(database)
  const samples = await inParallel(due, AT_ONCE, async (service) => {
    const values = await measure(context, history, service, signal)
    const { id: containerId, appEnvId } = service.container
    return values ? [{ appEnvId, at, containerId, values }] : []
  })
  signal.throwIfAborted()
  await database.serviceSample.createMany({ data: samples.flat(), skipDuplicates: true })
}

type Exec = Parameters<typeof askEngine>[0]['exec']

type RunningService = Awaited<ReturnType<typeof runningServices>>[number]

async function runningServices(database: Database, appEnvIds: readonly string[]) {
  const presets = ENGINES.map(({ name }) => name)
  const appEnvs = await database.appEnv.findMany({
    where: { id: { in: [...appEnvIds] }, deletedAt: null, app: { dockerPreset: { in: presets } } },
    select: {
      id: true,
      app: { select: { type: true, dockerPreset: true } },
      account: { select: { id: true, dataKey: true } },
      serviceCredentials: { select: { id: true, sealedData: true, sealedNext: true } },
    },
  })
  const containers = await database.container.findMany({
    where: { appEnvId: { in: appEnvs.map(({ id }) => id) }, phase: 'running', removedAt: null },
  })
  const contents = await database.content.findMany({
    where: { id: { in: [...new Set(containers.map(({ contentId }) => contentId))] } },
    select: { id: true, configuration: true },
  })
  return containers.flatMap((container: Container) => {
    const appEnv = appEnvs.find(({ id }) => id === container.appEnvId)
    const content = contents.find(({ id }) => id === container.contentId)
    return appEnv && content ? [{ appEnv, container, content }] : []
  })
}

/** Null when the engine does not answer: the next round asks again, or a later one. Never throws. */
async function measure(
  { runtime, vault, log }: MeasuringContext,
  history: ReadingHistory,
  { appEnv, container, content }: RunningService,
  signal: AbortSignal,
): Promise<Record<string, number> | null> {
  try {
    const service = serviceContainer({ vault }, appEnv, recordedConfiguration(content))
    if (!service) return null
    const { metrics, logs } = service.engine
    const { environment } = service.container
    const exec: Exec = (command, options) => runtime.exec(container.containerId, command, { ...options, signal })
    const asked = { key: 'metrics', environment, exec } as const
    if (logs.copy) await askEngine({ ...asked, command: logs.copy })
    const now = await askEngine({ ...asked, command: metrics.command })
    return valuesOf(metrics.series, now, history.answered(container.id, now))
  } catch (error) {
    history.failed(container.id)
    if (!signal.aborted) log.debug({ err: error, appEnvId: appEnv.id }, 'A managed service did not report its metrics')
    return null
  }
}

function valuesOf(series: readonly EngineMetric[], now: Reading, before: Reading | null): Record<string, number> {
  const known = series.flatMap(({ name, value }) => {
    const measured = value(now, before)
    return measured === null || !Number.isFinite(measured)
      ? []
      : [[name, Math.round(measured * THOUSANDTHS) / THOUSANDTHS] as const]
  })
  return Object.fromEntries(known)
}
