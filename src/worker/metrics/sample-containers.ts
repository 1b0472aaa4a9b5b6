import { recordedConfiguration } from '../../domain/configuration.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { ContainerRuntime } from '../../engines/runtime/container-runtime.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseSecond } from '../../storage/database/time.ts'

const AT_ONCE = 4

interface SamplingContext {
  database: Database
  runtime: ContainerRuntime
  signal: AbortSignal
  timeoutSeconds: number
}

/**
 * Measures what the running containers of these environments use. All samples get the same time, so that those of one
 * environment can be added up. Containers that end meanwhile are left out.
 */
export async function sampleContainers(
  { database, runtime, signal, timeoutSeconds }: SamplingContext,
  appEnvIds: readonly string[],
): Promise<number> {
  const containers = await database.container.findMany({
    where: { appEnvId: { in: [...appEnvIds] }, phase: 'running', removedAt: null },
  })
  const contents = await database.content.findMany({
    where: { id: { in: [...new Set(containers.map(({ contentId }) => contentId))] } },
    select: { id: true, configuration: true },
  })
  const limits = new Map(contents.map((content) => [content.id, resourcesOf(recordedConfiguration(content))]))
  // Scaling windows are computed by the database's clock.
  const at = await databaseSecond(database)
  const samples = await inParallel(containers, AT_ONCE, async ({ id, containerId, appEnvId, contentId }) => {
    const limit = limits.get(contentId)
    const used = await runtime.stats(containerId, { signal, timeoutSeconds }).catch(() => null)
    if (!used || !limit) return []
    return [
      {
        appEnvId,
        at,
        containerId: id,
        ...used,
        cpuLimit: limit.cpu * 1000,
        memoryLimit: limit.memoryMb,
      },
    ]
  })
  signal.throwIfAborted()
  const { count } = await database.metricSample.createMany({ data: samples.flat(), skipDuplicates: true })
  return count
}
