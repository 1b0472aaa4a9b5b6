import type { Database } from '../../database/client.ts'
import type { Container } from '../../database/generated/prisma/client.ts'
import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import { resourcesOf } from '../../domain/resources.ts'
import { getAppEnv } from '../app-env/app-env-queries.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'

type TerminationReason = 'OUT_OF_MEMORY' | 'COMPLETED' | 'ERROR'

/** The containers of an environment, as they were last seen. */
export async function listPods(database: Database, caller: Caller, address: AppEnvAddress) {
  const { id: appEnvId } = await getAppEnv(database, caller, address)
  const [containers, replicas, host] = await Promise.all([
    database.container.findMany({ where: { appEnvId, removedAt: null }, orderBy: { name: 'asc' } }),
    database.replica.findMany({ where: { appEnvId }, select: { containerId: true, state: true } }),
    database.engineHost.findFirst({ select: { id: true } }),
  ])
  const contents = await database.content.findMany({
    where: { id: { in: [...new Set(containers.map(({ contentId }) => contentId))] } },
    select: { id: true, configuration: true },
  })
  const configurations = new Map(contents.map((content) => [content.id, recordedConfiguration(content)]))
  const ready = new Set(replicas.filter(({ state }) => state === 'READY').map(({ containerId }) => containerId))
  return containers.map((container) => ({
    name: container.name,
    podId: container.containerId,
    status: container.phase.toUpperCase(),
    containerReady: container.phase === 'running' && ready.has(container.containerId),
    startedAt: container.startedAt?.toISOString() ?? null,
    finishedAt: container.phase === 'running' ? null : (container.finishedAt?.toISOString() ?? null),
    restartCount: container.restartCount,
    lastTermination: lastTermination(container),
    resources: podResources(configurations.get(container.contentId)),
    nodeName: host?.id ?? 'local',
    contentId: container.contentId,
  }))
}

/** How a container ended last, if it ever did; its exit code may be unknown when it was restarted unseen. */
function lastTermination({ lastExitAt, lastExitCode, lastExitOutOfMemory }: Container) {
  if (!lastExitAt) return null
  const reason: TerminationReason = lastExitOutOfMemory ? 'OUT_OF_MEMORY' : lastExitCode === 0 ? 'COMPLETED' : 'ERROR'
  return { reason, exitCode: lastExitCode, outOfMemory: lastExitOutOfMemory, finishedAt: lastExitAt.toISOString() }
}

function podResources(configuration: Configuration | undefined) {
  const { cpu, memoryMb } = resourcesOf(configuration ?? { zClouds: 0 })
  return { cpu, memory: memoryMb }
}
