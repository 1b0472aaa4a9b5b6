import { notFound } from '../../../src/domain/errors.ts'
import {
  type ContainerRuntime,
  type RunReference,
  RuntimeError,
  runName,
} from '../../../src/engines/runtime/container-runtime.ts'
import { call, type MemoryConnection } from './connection.ts'
import type { MemoryContainer } from './memory-container.ts'

type Runs = Pick<ContainerRuntime, 'createRun' | 'startRun' | 'observeRuns' | 'stopRun' | 'removeRuns'>

/** Containers of finite runs, which stay when they have ended. */
export const memoryRuns = (connection: MemoryConnection): Runs => ({
  createRun: (run, bounds) =>
    call(connection, bounds, () => {
      const { machine, installationId } = connection
      const found = machine.containers.get(runName(run))
      if (found && (found.options.installationId !== installationId || found.options.run?.runId !== run.runId))
        throw new RuntimeError('CONTAINER_START_FAILED', `The name ${found.name} is taken by another container`)
      if (found) return found.observeRun()
      const image = machine.images.find(run.pinnedImage)
      if (!image) throw new RuntimeError('IMAGE_NOT_FOUND', `There is no image ${run.pinnedImage}`)
      return machine.createRun(installationId, run, image).observeRun()
    }),
  startRun: (containerId, bounds) =>
    call(connection, bounds, async () => {
      const [container] = select(connection, { containerId })
      if (!container) throw notFound('container', containerId)
      if (container.phase === 'created') await container.start()
      return true
    }),
  observeRuns: (reference, bounds) =>
    call(connection, bounds, () => select(connection, reference).map((container) => container.observeRun())),
  stopRun: (containerId, { graceSeconds, ...bounds }) => {
    const seconds = graceSeconds + (bounds.timeoutSeconds ?? connection.callTimeoutSeconds)
    const stop = () => Promise.all(select(connection, { containerId }).map((container) => container.stop(graceSeconds)))
    return call(connection, bounds, async () => void (await stop()), { seconds })
  },
  removeRuns: (reference, bounds) =>
    call(connection, bounds, async () => {
      for (const container of select(connection, reference)) {
        await container.stop(0)
        connection.machine.remove(container)
      }
    }),
})

const select = (
  { machine, installationId }: MemoryConnection,
  { appEnvId, containerId }: RunReference,
): MemoryContainer[] =>
  [...machine.containers.values()].filter(
    ({ id, options }) =>
      options.installationId === installationId &&
      options.run !== null &&
      (containerId === undefined || id === containerId) &&
      (appEnvId === undefined || options.run.appEnvId === appEnvId),
  )
