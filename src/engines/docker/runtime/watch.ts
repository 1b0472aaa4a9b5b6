import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ContainerEnd } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { LABEL } from '../labels.ts'
import { isNetworkName } from '../networks.ts'
import { WholeLines } from '../whole-lines.ts'
import { within } from '../within.ts'
import { labelledGroup, replicaFilters } from './container-labels.ts'
import { listReplicas } from './find-containers.ts'
import { holderOf } from './holder.ts'
import { membershipsOf } from './networks-of.ts'

/** Listed one by one, because health probes and terminals cause exec events by the thousand. */
const TELLING_EVENTS = ['create', 'start', 'die', 'oom', 'kill', 'stop', 'pause', 'unpause', 'destroy', 'health_status']

/** What takes a network from a running container. It may be a stop, too. */
const NETWORK_EVENTS = ['disconnect', 'destroy']

/** Events come in bursts: the containers of all of a burst are listed at once. */
const NETWORK_BATCH_MS = 100

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000

/** An event is one line of JSON; a longer line is no event of a container of ours. */
const MAX_EVENT_BYTES = 64 * 1024

type OnChange = (appEnvId: string, end: ContainerEnd | null) => void

/** Follows the engine's events until aborted. Reconciliation finds what happened while the streams were down. */
export async function watchReplicas(engine: DockerEngine, onChange: OnChange, signal: AbortSignal): Promise<void> {
  await Promise.all([watchContainers(engine, onChange, signal), watchNetworks(engine, onChange, signal)])
}

async function watchContainers(engine: DockerEngine, onChange: OnChange, signal: AbortSignal): Promise<void> {
  const filters = { type: ['container'], event: TELLING_EVENTS, ...replicaFilters(engine.installationId) }
  const ends = new ContainerEndEvents()
  await followEvents(engine, filters, signal, (event) => {
    const appEnvId = event.Actor?.Attributes?.[LABEL.appEnv]
    if (appEnvId) onChange(appEnvId, ends.read(event))
  })
}

/** Networks' events carry no labels, and name containers by id only. */
async function watchNetworks(engine: DockerEngine, onChange: OnChange, signal: AbortSignal): Promise<void> {
  const filters = { type: ['network'], event: NETWORK_EVENTS }
  const pending = { containers: new Set<string>(), networks: new Set<string>() }
  let batch: NodeJS.Timeout | undefined
  const list = (bound: AbortSignal) => listReplicas(engine, {}, bound)
  const report = async () => {
    batch = undefined
    const { containers, networks } = { ...pending }
    pending.containers = new Set()
    pending.networks = new Set()
    for (const { Id, Labels, State, HostConfig } of await within(engine, { signal }, list)) {
      const member = { accountId: Labels[LABEL.account] ?? '', group: labelledGroup(Labels) }
      const joined = membershipsOf(engine.installationId, member)
      const connected = holderOf({ HostConfig }) ?? Id
      const hasLost = containers.has(connected) || joined.some(({ name }) => networks.has(name))
      const isConcerned = State === 'running' && hasLost
      if (isConcerned) onChange(Labels[LABEL.appEnv] ?? '', null)
    }
  }
  await followEvents(engine, filters, signal, ({ Action, Actor }) => {
    const { name = '', container = '' } = Actor?.Attributes ?? {}
    if (!isNetworkName(engine.installationId, name)) return
    if (Action === 'destroy') pending.networks.add(name)
    else pending.containers.add(container)
    batch ??= setTimeout(() => void report().catch(() => undefined), NETWORK_BATCH_MS)
  })
  clearTimeout(batch)
}

async function followEvents(
  engine: DockerEngine,
  filters: EventFilters,
  signal: AbortSignal,
  onEvent: (event: EngineEvent) => void,
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      for await (const line of eventLines(engine, filters, signal)) {
        pauseMs = FIRST_PAUSE_MS
        if (line.trim() !== '') onEvent(JSON.parse(line) as EngineEvent)
      }
    } catch {
      // Any failure means the same: the stream is gone, so open another.
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}

/** Chunks may hold half a line, or several. */
async function* eventLines(engine: DockerEngine, filters: EventFilters, signal: AbortSignal): AsyncGenerator<string> {
  const closed = new AbortController()
  try {
    const open = AbortSignal.any([signal, closed.signal])
    const question = { path: '/events', query: { filters }, isStream: true, signal: open }
    const stream = (await within(engine, { signal }, () => ask(engine, question))) as Readable
    const whole = new WholeLines(MAX_EVENT_BYTES)
    for await (const chunk of stream) yield* whole.add(chunk)
  } finally {
    closed.abort()
  }
}

type EventFilters = Record<'type' | 'event', string[]> & { label?: string[] }

interface EngineEvent {
  Action?: string
  timeNano?: number
  Actor?: { ID?: string; Attributes?: Record<string, string> }
}

/**
 * An engine reports that memory ran out in a separate event. It comes before the end as a rule, and the engine promises no
 * order: with cgroup v2 it waits for a counter to change. When it comes after, the end is reported again.
 */
class ContainerEndEvents {
  readonly #starved = new Set<string>()
  readonly #ended = new Map<string, ContainerEnd>()

  /** The end that an event reports, or adds to. */
  read({ Action, timeNano, Actor }: EngineEvent): ContainerEnd | null {
    const { ID: containerId = '', Attributes = {} } = Actor ?? {}
    if (Action === 'start' || Action === 'destroy') this.#forget(containerId)
    if (Action === 'oom') return this.#starve(containerId)
    if (Action !== 'die') return null
    const exitCode = Attributes.exitCode === undefined ? null : Number(Attributes.exitCode)
    const at = new Date(timeNano === undefined ? Date.now() : timeNano / 1e6)
    const end = { containerId, exitCode, outOfMemory: this.#starved.delete(containerId), at }
    this.#ended.set(containerId, end)
    return end
  }

  #starve(containerId: string): ContainerEnd | null {
    const end = this.#ended.get(containerId)
    if (end) return { ...end, outOfMemory: true }
    this.#starved.add(containerId)
    return null
  }

  #forget(containerId: string): void {
    this.#starved.delete(containerId)
    this.#ended.delete(containerId)
  }
}
