import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerRuntime, EngineMark } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import { RENEW_MS } from './engine-ownership.ts'

/** A mark that has stayed for so long is no longer renewed. */
const WATCH_MS = 1.5 * RENEW_MS

interface TakeOver {
  database: Database
  runtime: ContainerRuntime
  /** Of this database, as `readInstallationSite` says. */
  place: string
  /** Also takes an engine over on which another Berth is at work. */
  isForced: boolean
  watchMs?: number
}

export type TakenOver = { outcome: 'taken' | 'in use'; marks: EngineMark[] } | { outcome: 'held' }

/**
 * Makes the marks of an engine known to this database, whose workers renew them within seconds: a Berth on another
 * database, to which they belonged, then leaves the engine alone.
 */
export async function takeOverEngine(options: TakeOver): Promise<TakenOver> {
  const { database, runtime, place, isForced, watchMs = WATCH_MS } = options
  const engineId = await runtime.identity()
  const marks = await runtime.marks()
  const known = (await database.engineMark.findUnique({ where: { engineId } }))?.nonces ?? []
  const foreign = marks.filter(({ nonce }) => !known.includes(nonce))
  if (foreign.length === 0) return { outcome: 'held' }
  if (!isForced) {
    await sleep(watchMs)
    const present = new Set((await runtime.marks()).map(({ nonce }) => nonce))
    if (foreign.some(({ nonce }) => !present.has(nonce))) return { outcome: 'in use', marks: foreign }
  }
  const nonces = [...foreign.map(({ nonce }) => nonce), ...known]
  const written = { nonces, place, renewedAt: new Date(0) }
  await database.engineMark.upsert({ where: { engineId }, create: { engineId, ...written }, update: written })
  return { outcome: 'taken', marks: foreign }
}
