import { placesOf } from './canary.ts'
import type { ServiceStory } from './service-story.ts'
import type { Surroundings } from './step.ts'
import { expectOutOfReach } from './stranger.ts'

export async function expectStrangerOutside(story: ServiceStory, { strangerId }: Surroundings): Promise<void> {
  await expectOutOfReach(story, strangerId)
}

const PASSWORDS = /^\w*(PASS|AUTH|SECRET|COOKIE)\w*=(.{16,})$/

/** Every password that the service has had is in its own containers, in the answer that is for it, and nowhere else. */
export async function expectHidden(story: ServiceStory): Promise<void> {
  const { cluster, main, accountId, passwords } = story
  await story.credentials()
  // The administrator's are never handed out; the container has them.
  const [found] = await story.containers()
  const { Config } = await cluster.docker.getContainer(found?.Id ?? '').inspect()
  for (const one of Config.Env) {
    const [, , secret] = PASSWORDS.exec(one) ?? []
    if (secret) passwords.add(secret)
  }
  const { operations } = await cluster.ok('GET', `/operations?appEnvId=${main.appEnvId}`)
  const [operation] = operations as { operationId: string }[]
  const places = await placesOf(cluster, passwords, {
    accountId,
    appId: main.appId,
    appEnvId: main.appEnvId,
    operationId: operation?.operationId ?? '',
  })
  if (places.length > 0) throw new Error(`Passwords are in ${places.join(', ')}`)
}
