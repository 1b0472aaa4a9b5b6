import { recordedConfiguration } from '../../domain/configuration.ts'
import { RuntimeError } from '../../engines/runtime/container-runtime.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { knownService } from '../service/service-container.ts'
import type { Probed } from './replica-states.ts'

const ANSWER_SECONDS = 10
const AT_ONCE = 4
const MAX_ANSWER = 100

/** Part of each reconcile: how far the replicas of a managed service are behind its first container. */
export async function measureLag(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  probed: readonly Probed[],
): Promise<void> {
  if (probed.length < 2 || !appEnv.currentContent) return
  const service = knownService(context, appEnv, recordedConfiguration(appEnv.currentContent))
  const lag = service?.engine.replication?.lag
  if (!service || !lag) return
  const measured: { containerId: string; lagSeconds: number | null }[] = []
  await inParallel(probed, AT_ONCE, async ({ index, observed, failure }) => {
    if (index === 0 || observed?.phase !== 'running') return
    const { container } = service
    const lagSeconds = failure === null ? await ask(context, observed.name, lag, container.environment) : null
    const before = appEnv.replicas.find(({ containerId }) => containerId === observed.containerId)?.lagSeconds ?? null
    if (lagSeconds !== before) measured.push({ containerId: observed.containerId, lagSeconds })
  })
  if (measured.length === 0) return
  await fenced(context.database, context.lease, async (tx) => {
    for (const { containerId, lagSeconds } of measured)
      await tx.replica.updateMany({ where: { appEnvId: appEnv.id, containerId }, data: { lagSeconds } })
  })
}

/** Null where the replica does not know, or does not answer. */
async function ask(
  { engine }: EnvironmentContext,
  name: string,
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<number | null> {
  let printed = ''
  const output = (chunk: Uint8Array) => {
    if (printed.length < MAX_ANSWER) printed += Buffer.from(chunk).toString('utf8')
  }
  try {
    const options = { key: 'lag', environment: { ...environment }, output, timeoutSeconds: ANSWER_SECONDS }
    const { exitCode } = await engine.exec(name, command, options)
    const seconds = Number.parseFloat(printed)
    return exitCode === 0 && Number.isFinite(seconds) ? Math.max(0, seconds) : null
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    return null
  }
}
