import { setTimeout as pause } from 'node:timers/promises'
import { type ApiName, type Request, send } from './apis.ts'
import type { Drawn, Turn } from './draw.ts'
import { type Call, explain } from './explain.ts'
import { type Command, FRESH, type State } from './model.ts'
import type { Stage } from './stage.ts'
import { contradictions } from './witnesses.ts'

/** A bound on a hang. */
const REST_MS = 120_000
const LOOK_MS = 40

/** A call, with what is needed to judge it. */
interface RecordedCall extends Call {
  api: ApiName
  operationId: string | null
}

/** What plays act on; environments are deleted at their end, so one app serves them all. */
export interface Target {
  accountId: string
  appId: string
}

export async function openTarget({ world, engine }: Stage): Promise<Target> {
  const accountId = await world.account()
  return { accountId, appId: await world.app({ accountId, image: 'sound:1', ...engine.app }) }
}

let made = 0

/** Performs a play on an environment of its own, and throws when what was answered cannot be explained. Calls made. */
export async function perform(stage: Stage, target: Target, turns: readonly (Turn | null)[]): Promise<number> {
  made += 1
  const name = `play ${made}`
  const { appEnvId } = await stage.world.appEnv({ ...stage.engine.appEnv, ...target, name })
  const play = new Play(stage, appEnvId)
  const callers = Map.groupBy(
    turns.filter((turn) => turn !== null),
    ({ caller }) => caller,
  )
  await Promise.all(
    [...callers.values()].map(async (turnsOfOne) => {
      for (const turn of turnsOfOne) await play.take(turn)
    }),
  )
  await play.judge()
  return play.calls.length
}

class Play {
  readonly calls: RecordedCall[] = []
  readonly #stage: Stage
  readonly #appEnvId: string
  #count = 0
  #revision = 1

  constructor(stage: Stage, appEnvId: string) {
    this.#stage = stage
    this.#appEnvId = appEnvId
  }

  async take({ pause: before, api, drawn, insists }: Turn): Promise<void> {
    if (before === 'rest') await this.#rest()
    else if (before > 0) await pause(before)
    const chosen = await this.#choose(drawn)
    await this.#call(api, { ...chosen, expected: insists && drawn.name !== 'cancel' ? this.#revision : null })
  }

  /** Searches for an explanation once nothing is open any more, then deletes the environment and searches again. */
  async judge(): Promise<void> {
    await this.#rest()
    await this.#explain()
    await this.#call('REST', { command: { name: 'delete' }, contentId: null, operationId: null, expected: null })
    await this.#rest()
    await this.#explain()
    const found = [...(await contradictions(this.#stage.database, this.#appEnvId)), ...(await this.#leftOver())]
    if (found.length > 0) throw new Error(`${found.join('\n')}\n${this.#transcript()}`)
  }

  async #call(api: ApiName, request: Omit<Request, 'appEnvId' | 'image' | 'key'>): Promise<void> {
    const { world, engine, fetch } = this.#stage
    const { command, expected } = request
    const image = command.name === 'deployImage' ? (engine.images[command.image] ?? '') : ''
    this.#count += 1
    const by = this.#count
    const calledAt = performance.now()
    const result = await send(fetch, world.adminToken, api, {
      ...request,
      appEnvId: this.#appEnvId,
      image,
      key: `${this.#appEnvId} ${by}`,
    })
    this.calls.push({
      by,
      api,
      command,
      expected,
      calledAt,
      ...result,
      answeredAt: performance.now(),
    })
    const { revision } = result.answer
    if (typeof revision === 'number') this.#revision = revision
  }

  /** Where there is nothing to choose from, it reads instead. */
  async #choose(drawn: Drawn): Promise<Pick<Request, 'command' | 'contentId' | 'operationId'>> {
    const nothing = { contentId: null, operationId: null }
    const read = { command: { name: 'read' as const, whole: true }, ...nothing }
    if (!('choice' in drawn)) return { command: drawn, ...nothing }
    const { name, choice } = drawn
    if (name === 'cancel') {
      const begun = this.calls.filter(({ operationId }) => operationId !== null)
      // The latest are the likeliest to be open.
      const call = begun[Math.floor((choice ?? 0) ** 0.2 * begun.length)]
      return call ? { command: { name, by: call.by }, contentId: null, operationId: call.operationId } : read
    }
    if (choice === null) return { command: { name, version: null }, ...nothing }
    const contents = await this.#stage.database.content.findMany({ where: { appEnvId: this.#appEnvId } })
    const content = contents[Math.floor(choice * contents.length)]
    return content ? { command: { name, version: content.version }, contentId: content.id, operationId: null } : read
  }

  async #explain(): Promise<void> {
    const { appEnv, final } = await this.#outcome()
    const calls = await this.#withVersions()
    const isFinal = (state: State) => JSON.stringify(result(state)) === final
    const unexplained = explain(FRESH, calls, isFinal)
    if (!unexplained) return
    const { explained, state, stuck } = unexplained
    const lines = stuck.map(
      ({ call, answer: result }) => `  ${call.by}: the model would answer ${JSON.stringify(result)}`,
    )
    throw new Error(
      [
        `No order explains what was answered; the best attempt explains ${explained} of ${calls.length} calls`,
        this.#transcript(),
        `The model is at ${JSON.stringify(state)}`,
        ...lines,
        `It ended as ${final}; ${appEnv.id}`,
      ].join('\n'),
    )
  }

  /** The final state, as `result` derives it from the model. */
  async #outcome() {
    const { database } = this.#stage
    const appEnv = await database.appEnv.findUniqueOrThrow({
      where: { id: this.#appEnvId },
      include: { operations: true, contents: { orderBy: { version: 'asc' } }, currentContent: true },
    })
    const ends = this.calls.flatMap(({ by, operationId }) => {
      const operation = appEnv.operations.find(({ id }) => id === operationId)
      return operation ? [[by, operation.status === 'CANCELLED' ? operation.reason : operation.status]] : []
    })
    const statuses = appEnv.contents.map(({ status }) => status)
    const { status, version, currentContent, deletedAt } = appEnv
    const current = currentContent?.version ?? 0
    const final = JSON.stringify([status, version, current, statuses, sorted(ends), deletedAt !== null])
    return { appEnv, final }
  }

  /** The number of the version that each operation brought about: the same record that callers read. */
  async #withVersions(): Promise<Call[]> {
    const operations = await this.#stage.database.operation.findMany({
      where: { appEnvId: this.#appEnvId },
      include: { content: true },
    })
    const versions = new Map(operations.map(({ id, content }) => [id, content?.version ?? 0]))
    return this.calls.map((call) => {
      const mayBegin = !('refusal' in call.answer) && call.command.name !== 'read' && call.command.name !== 'cancel'
      const version = call.operationId === null ? null : (versions.get(call.operationId) ?? null)
      return mayBegin ? { ...call, answer: { ...call.answer, version } } : call
    })
  }

  /** Waits until no operation is open and the engine runs what it should. */
  async #rest(): Promise<void> {
    const { database } = this.#stage
    for (const until = performance.now() + REST_MS; ; await pause(LOOK_MS)) {
      const where = { appEnvId: this.#appEnvId, status: { in: ['QUEUED' as const, 'RUNNING' as const] } }
      const open = await database.operation.findFirst({ where })
      if (!open) return
      if (performance.now() > until)
        throw new Error(`It does not come to rest: ${JSON.stringify(open)}\n${this.#transcript()}`)
    }
  }

  /** Containers of a deleted environment, once there was time to reconcile. */
  async #leftOver(): Promise<string[]> {
    const { runtime } = this.#stage.engine.ports
    const where = { appEnvId: this.#appEnvId }
    for (const until = performance.now() + REST_MS; ; await pause(LOOK_MS)) {
      const found = await runtime.observe(where)
      const rows = await this.#stage.database.replica.findMany({ where })
      if (found.length === 0 && rows.length === 0) return []
      if (performance.now() > until) return [...found, ...rows].map(({ name }) => `left over: ${name}`)
    }
  }

  #transcript(): string {
    const since = Math.min(...this.calls.map(({ calledAt }) => calledAt))
    const lines = this.calls.map(({ by, api, command, expected, answer, operationId, calledAt, answeredAt }) => {
      const when = `${(calledAt - since).toFixed(1)}–${(answeredAt - since).toFixed(1)} ms`
      const insisted = expected === null ? '' : ` at revision ${expected}`
      return `  ${by}: ${api} ${JSON.stringify(command as Command)}${insisted} → ${JSON.stringify(answer)} ${operationId ?? ''} (${when})`
    })
    return lines.join('\n')
  }
}

const sorted = (ends: readonly (readonly unknown[])[]) => [...ends].sort(([a], [b]) => Number(a) - Number(b))

/** Of the model's state, what the database shows at rest. A deleted environment's status is of no concern. */
const result = ({ status, revision, current, versions, ends, isDeleted }: State) => [
  status,
  revision,
  current,
  versions.map((version) => version.status),
  sorted(Object.entries(ends).map(([by, end]) => [Number(by), end])),
  isDeleted,
]
