import { awaitedReplicas } from '../../app-types/behaviours.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { loadClaimedAppEnv } from '../context/environment-context.ts'
import { runningPrimary } from '../service/primary.ts'
import { recordRotation, setPasswords } from '../service/rotation.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import { rolloutOf } from '../version/rollout.ts'
import { startAndAwaitReady } from '../version/start-and-await-ready.ts'

/** Sets new passwords in the running server, then makes its container again with them. */
export async function rotateCredentials(started: AttemptContext): Promise<void> {
  const { steps, engine, operation } = started
  const { currentContent: content, rolloutId } = started.appEnv
  if (!content || !rolloutId) throw new Error(`${operation.id} rotates the credentials of nothing`)
  if (!steps.isFinished('rotate')) {
    await steps.advance({ start: 'rotate' })
    await setPasswords(started, started.appEnv, await runningPrimary(started, 'take new passwords'))
    await steps.advance({
      finish: { name: 'rotate', detail: 'the service has its new passwords' },
      start: 'create',
      write: (tx) => recordRotation(tx, started.appEnv),
    })
  }
  // With the credentials of today.
  const appEnv = await loadClaimedAppEnv(started.database, started.appEnv.id)
  const attempt = { ...started, appEnv, content }
  const replicas = awaitedReplicas(appEnv)
  const rollout = await rolloutOf(attempt, appEnv, { content, rolloutId, requestId: operation.requestId, replicas })
  if (!steps.isFinished('create')) await removeReplicas(attempt, await engine.observe())
  const ready = await startAndAwaitReady(attempt, rollout, { detail: `${replicas} started` })
  await completeOperation(attempt, {
    status: 'RUNNING',
    finish: [{ name: 'ready', detail: `${ready.length} of ${replicas} ready` }],
  })
}
