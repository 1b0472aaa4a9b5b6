import type { Failpoint } from '../../../src/fault-injection/failpoint.ts'
import type { ServiceStory } from './service-story.ts'
import { until } from './until.ts'

/** Old password refused, new one accepted, every row there. */
async function expectRotated(story: ServiceStory, before: { password: string; internalUrl: string }): Promise<void> {
  const { password } = await story.credentials()
  if (password === before.password) throw new Error('The password is the old one')
  await story.expectRefused(before.internalUrl)
  await story.expectRows()
  await story.awaitHealthy()
}

export async function rotate(story: ServiceStory): Promise<void> {
  const before = await story.credentials()
  await story.operate('credentials/rotate')
  await expectRotated(story, before)
}

export const rotateInterrupted = (point: Failpoint) => async (story: ServiceStory) => {
  const { main, cluster } = story
  const before = await story.credentials()
  const begin = () => cluster.begin('POST', '/app-env/credentials/rotate', { appEnvId: main.appEnvId })
  await story.interrupted(point, main.appEnvId, begin)
  await expectRotated(story, before)
}

/** The server has its new password, and the operation that gave it ends before that is recorded. */
export async function supersedeRotation(story: ServiceStory): Promise<void> {
  const { cluster, main } = story
  const { orders } = cluster
  const before = await story.credentials()
  orders.arm({ point: 'passwords.set', subject: main.appEnvId, pass: 1 }, 'SIGSTOP', `superseded ${main.appEnvId}`)
  const rotation = await cluster.begin('POST', '/app-env/credentials/rotate', { appEnvId: main.appEnvId })
  await until(
    'the server has its new password',
    async () => orders.isFired,
    (isFired) => isFired,
  )
  const redeployment = await cluster.begin('POST', '/app-env/redeploy', { appEnvId: main.appEnvId })
  for (const worker of cluster.of('worker')) worker.signal('SIGCONT')
  orders.disarm()
  await story.expectEnded(rotation, 'CANCELLED')
  await story.expectEnded(redeployment)
  await until(
    'the rotation is completed',
    () => story.credentials(),
    ({ password }) => password !== before.password,
  )
  // Its container is made again with the new one.
  await until(
    'clients are served with it',
    () => story.expectRows().then(() => true),
    (isServed) => isServed,
  )
  await expectRotated(story, before)
}
