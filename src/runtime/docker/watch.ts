import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, type DockerEngine } from '../../engine/docker/connection.ts'
import { LABEL } from '../../engine/docker/labels.ts'
import { within } from '../../engine/docker/within.ts'
import type { ContainerEnd } from '../container-runtime.ts'
import { replicaFilters } from './container-labels.ts'

/** Listed one by one, because health probes and terminals cause exec events by the thousand. */
const TELLING_EVENTS = ['create', 'start', 'die', 'oom', 'kill', 'stop', 'pause', 'unpause', 'destroy', 'health_status']

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** An event is one line of JSON; a longer line is not an event. */
const MAX_EVENT_LENGTH = 64 * 1024

/** Follows the engine's events until aborted. Reconciliation finds what happened while the stream was down. */
export async function watchReplicas(
  engine: DockerEngine,
  onChange: (appEnvId: string, end: ContainerEnd | null) => void,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  const starved = new Set<string>()
  while (!signal.aborted) {
    try {
      for await (const line of eventLines(engine, signal)) {
        pauseMs = FIRST_PAUSE_MS
        if (line.trim() === '') continue
        const event = JSON.parse(line) as EngineEvent
        const appEnvId = event.Actor?.Attributes?.[LABEL.appEnv]
        if (appEnvId) onChange(appEnvId, endOf(event, starved))
      }
    } catch {
      // Any failure means the same: the stream is gone, so open another.
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Chunks may hold half a line, or several. */
async function* eventLines(engine: DockerEngine, signal: AbortSignal): AsyncGenerator<string> {
  const filters = { type: ['container'], event: TELLING_EVENTS, ...replicaFilters(engine.installationId) }
  const closed = new AbortController()
  try {
    const open = AbortSignal.any([signal, closed.signal])
    const question = { path: '/events', query: { filters }, isStream: true, signal: open }
    const stream = (await within(engine, { signal }, () => ask(engine, question))) as Readable
    stream.setEncoding('utf8')
    let unfinished = ''
    for await (const chunk of stream) {
      const lines = (unfinished + chunk).split('\n')
      unfinished = lines.pop() ?? ''
      if (unfinished.length > MAX_EVENT_LENGTH) throw new Error('The engine sent an event that is too long')
      yield* lines
    }
  } finally {
    closed.abort()
  }
}

interface EngineEvent {
  Action?: string
  timeNano?: number
  Actor?: { ID?: string; Attributes?: Record<string, string> }
}

/** An engine reports that memory ran out in a separate event, before the end. */
function endOf({ Action, timeNano, Actor }: EngineEvent, starved: Set<string>): ContainerEnd | null {
  const { ID: containerId = '', Attributes = {} } = Actor ?? {}
  if (Action === 'oom') starved.add(containerId)
  if (Action !== 'die') return null
  const exitCode = Attributes.exitCode === undefined ? null : Number(Attributes.exitCode)
  const at = new Date(timeNano === undefined ? Date.now() : timeNano / 1e6)
  return { containerId, exitCode, outOfMemory: starved.delete(containerId), at }
}
