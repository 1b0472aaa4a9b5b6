import { engineOf, isRolledOut } from '../../app-types/behaviours.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict } from '../../domain/errors.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { acceptedExample } from '../targets/accepted.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { openOperationOf } from './begin-operation.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const restartAppEnv = lifecycleOperation({
  name: 'restartAppEnv',
  path: '/app-env/restart',
  about:
    'Replace the containers with new ones of the version that serves, exactly as it is: no pending change is applied, nothing is built, and there is no new version. The new containers take over once they are ready, without a gap. Where a volume is written by one container at a time, as by a managed service, the old one stops first.',
  example: {
    answer: acceptedExample('Restart of version 3 started: its new containers take over once they are ready'),
  },
  accepted: 'Restart started',
  input: {},
  async plan({ tx }, appEnv) {
    const { currentContent: content } = appEnv
    if (!content) throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here; deploy something first')
    const open = await openOperationOf(tx, appEnv)
    // It must not take the place of a deployment, whose version would be lost with it.
    if (open)
      throw conflict('OPERATION_IN_PROGRESS', `An operation is in progress: ${open.kind} (${open.id}). Wait for it`)
    if (appEnv.status === 'STOPPED') throw conflict('ENVIRONMENT_STOPPED', 'The environment is stopped: start it')
    const idle = nothingRuns(appEnv)
    if (idle !== null) throw conflict('NOTHING_TO_RESTART', idle)
    return {
      intent: { kind: 'RESTART', contentId: content.id },
      message: `Restart of version ${content.version} started: ${howReplaced(appEnv, content)}`,
    }
  },
})

/** Why there is no container that could be replaced; null when there is one. */
function nothingRuns({ app, requestScaling }: LoadedAppEnv): string | null {
  if (!isRolledOut(app)) return 'A job has containers only while it runs: create a run, or cancel the one that hangs'
  const depth = requestScaling?.depth
  if (depth === 'NONE' || depth === 'STOPPED')
    return 'The environment sleeps without a running program: the next request starts it anew'
  return null
}

function howReplaced({ app, presetVersion }: LoadedAppEnv, content: Content): string {
  if (engineOf(app, presetVersion))
    return 'the service stops, and starts again with its data; connections end meanwhile'
  if (recordedConfiguration(content).volume)
    return 'its volume is written by one container at a time, so the old one stops before the new one starts'
  return 'its new containers take over once they are ready'
}
