import type { ObservedReplica } from '../../../src/engines/runtime/container-runtime.ts'
import type { Database } from '../../../src/storage/database/client.ts'
import { recordInventory } from '../../../src/storage/usage/running-containers.ts'
import { recordUsage } from '../../../src/storage/usage/usage-log.ts'
import { sightingsOf } from '../../../src/worker/usage/sightings.ts'

/** A container as an engine with a clock of its own runs it. Times are UTC, without the zone. */
export interface ScriptedContainer {
  containerId: string
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  /** From, and to; the last may go on. */
  runs: readonly (readonly [string, string | null])[]
  frozenFrom?: string
  removedAt: string | null
}

/** Everybody who sees the same script does the same at each of these times. */
export interface Look {
  at: string
  /** Right before a container is removed, or a pass of the meter. */
  isRemoval: boolean
  observed: readonly ObservedReplica[]
}

export const time = (text: string): Date => new Date(`${text}Z`)

/** What the engine answers at a time; null before it was made and after it was removed. */
function observedAt(container: ScriptedContainer, at: Date): ObservedReplica | null {
  const { runs, removedAt, frozenFrom, containerId, accountId, appId, appEnvId, contentId } = container
  const begun = runs.filter(([from]) => time(from) <= at)
  const present = begun.at(-1)
  if (!present || (removedAt && time(removedAt) <= at)) return null
  const [from, to] = present
  const isUp = !to || time(to) > at
  const ended = begun.findLast(([, end]) => end !== null && time(end) <= at)
  return {
    containerId,
    accountId,
    appId,
    appEnvId,
    contentId,
    name: containerId,
    rolloutId: 'op_1',
    generation: 1,
    index: 0,
    address: null,
    port: null,
    hasOwnAddress: true,
    isConnected: true,
    exitCode: isUp ? null : 1,
    outOfMemory: false,
    phase: isUp ? (frozenFrom && time(frozenFrom) <= at ? 'paused' : 'running') : 'exited',
    startedAt: time(from),
    finishedAt: ended?.[1] ? time(ended[1]) : null,
    restartCount: begun.length - 1,
  }
}

export const looksAt = (
  containers: readonly ScriptedContainer[],
  times: readonly string[],
  removals: readonly string[] = [],
): Look[] =>
  [...times.map((at) => ({ at, isRemoval: false })), ...removals.map((at) => ({ at, isRemoval: true }))]
    .sort((one, other) => time(one.at).getTime() - time(other.at).getTime())
    .map((look) => ({ ...look, observed: containers.flatMap((one) => observedAt(one, time(look.at)) ?? []) }))

/** What a worker does at each of these times: the product's own code, told the time. */
export async function carryOut(database: Database, looks: readonly Look[]): Promise<void> {
  for (const { at, isRemoval, observed } of looks) {
    if (isRemoval) await recordUsage(database, sightingsOf(observed))
    else
      await recordInventory(database, {
        at: time(at),
        sightings: sightingsOf(observed, time(at)),
        containerIds: observed.map(({ containerId }) => containerId),
      })
  }
}

/** As JSON has kept them. */
export const revived = (looks: readonly Look[]): Look[] => {
  const date = (value: Date | string | null) => (value === null ? null : new Date(value))
  return looks.map((look) => ({
    ...look,
    observed: look.observed.map((one) => ({
      ...one,
      startedAt: date(one.startedAt),
      finishedAt: date(one.finishedAt),
    })),
  }))
}
