import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { KINDS, LostCount, leftovers } from '../../scripts/engine-leftovers.ts'

/** A busy engine fails to remove a container that it has killed, and creates one for a caller that has gone away. */
const ROUNDS = 20
const PAUSE_MS = 250

export const ownedBy = (installationId: string) => ({ label: [`berth.installation=${installationId}`] })

/** Removes everything that an installation has left on the engine, and throws if something stays there. */
export async function removeEverything(docker: Docker, installationId: string): Promise<void> {
  let problems: unknown[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const removals = await leftovers(docker, ownedBy(installationId))
    if (removals.length === 0) return
    if (problems.length === removals.length && problems.every((problem) => problem instanceof LostCount)) {
      for (const { message } of problems as LostCount[]) console.warn(message)
      return
    }
    if (round > 1) await pause(PAUSE_MS)
    problems = []
    // One kind after the other: what a container uses cannot go before it.
    for (const kind of KINDS) {
      const ended = await Promise.allSettled(removals.filter((one) => one.kind === kind).map(({ remove }) => remove()))
      problems.push(...ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
    }
  }
  const left = await leftovers(docker, ownedBy(installationId))
  if (left.length > 0)
    throw new Error(`${installationId} still has something on the engine: ${problems.map(String).join('; ')}`)
}
