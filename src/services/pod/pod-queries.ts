import { engineOf } from '../../app-types/behaviours.ts'
import type { Caller } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { wholeListQuery } from '../../calls/query.ts'
import { findRow, findRows } from '../../calls/read.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { Database } from '../../storage/database/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { pod } from './pod-fields.ts'

/** The containers of an environment, as they were last seen. */
async function findPods(database: Database, caller: Caller, address: AppEnvAddress) {
  const { id: appEnvId } = await observeAppEnv(database, caller, address)
  const [containers, replicas, host, app] = await Promise.all([
    findRows(database, 'Container', { where: { appEnvId, removedAt: null }, orderBy: { name: 'asc' } }),
    findRows(database, 'Replica', {
      where: { appEnvId },
      select: { containerId: true, state: true, lagSeconds: true, index: true },
    }),
    findRow(database, 'EngineHost', {
      where: { region: { appEnvs: { some: { id: appEnvId } } } },
      select: { id: true },
    }),
    database.app.findFirstOrThrow({ where: { appEnvs: { some: { id: appEnvId } } }, select: { dockerPreset: true } }),
  ])
  const contents = await findRows(database, 'Content', {
    where: { id: { in: [...new Set(containers.map(({ contentId }) => contentId))] } },
    select: { id: true, configuration: true },
  })
  const configurations = new Map(contents.map((content) => [content.id, recordedConfiguration(content)]))
  const ready = new Set(replicas.filter(({ state }) => state === 'READY').map(({ containerId }) => containerId))
  const isCopied = Boolean(engineOf(app)?.replication)
  const byContainer = new Map(replicas.map((replica) => [replica.containerId, replica]))
  return containers.map((container) => {
    const size = resourcesOf(configurations.get(container.contentId) ?? { zClouds: 0 })
    const { index = 0, lagSeconds = null } = byContainer.get(container.containerId) ?? {}
    const isReplica = isCopied && index > 0
    const isReady = ready.has(container.containerId)
    return pod.answer.record({ container, isReady, isReplica, lagSeconds, ...size, nodeName: host?.id ?? 'local' })
  })
}

export const listPods = wholeListQuery({
  name: 'listPods',
  path: '/app-env/pods',
  permission: 'appEnv:observe',
  about: 'The containers of an environment, as they were last observed.',
  input: appEnvTarget,
  of: pod,
  isRecord: true,
  itemsAbout: 'Containers of the environment, by name.',
  all: ({ database, caller }, address) => findPods(database, caller, address),
})
