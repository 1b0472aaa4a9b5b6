import type { Transaction } from '../database/client.ts'
import type { Prisma } from '../database/generated/prisma/client.ts'
import type { OperationStep } from '../domain/operation.ts'
import type { EventType, NewEvent } from '../events/event.ts'
import { record } from '../events/record.ts'
import { fenced } from './fenced.ts'
import type { Work, WorkAppEnv, WorkOperation } from './work.ts'

export type StepName = 'pull' | 'create' | 'ready' | 'route' | 'unroute' | 'stop' | 'remove' | 'forget'

const DETAIL_PAUSE_MS = 1_000

interface Advance {
  /** The step that is over, and what is worth knowing about how it went. */
  finish?: { name: StepName; detail: string | null }
  start?: StepName
  /** Further writes that belong to the same checkpoint. */
  write?: (tx: Transaction) => Promise<unknown>
}

/**
 * The checkpoints of one operation. What is finished is on record before anything that builds on it begins, so a
 * successor repeats at most the step that was under way. Ending a step and starting the next is one write.
 */
export class Steps {
  readonly #work: Work
  readonly #appEnv: WorkAppEnv
  readonly #operation: WorkOperation
  #steps: OperationStep[]
  /** True while the operation's row does not say yet that somebody is at it. */
  #isOpening: boolean
  #detailedAt = 0

  constructor(work: Work, appEnv: WorkAppEnv, operation: WorkOperation) {
    this.#work = work
    this.#appEnv = appEnv
    this.#operation = operation
    this.#steps = operation.steps as unknown as OperationStep[]
    this.#isOpening = operation.status === 'QUEUED' || operation.reason !== null
  }

  isFinished(name: StepName): boolean {
    return Boolean(this.#find(name)?.finishedAt)
  }

  /** When a step began, by the database's clock; a successor goes on counting from there. */
  startedAt(name: StepName): Date {
    const step = this.#find(name)
    return step ? new Date(step.startedAt) : this.#work.lease.claim.clock.now()
  }

  async advance({ finish, start, write }: Advance): Promise<void> {
    const events = this.#apply({ finish, start })
    if (events.length === 0 && !write && !this.#isOpening) return
    await fenced(this.#work.database, this.#work.lease, async (tx) => {
      await this.#save(tx)
      await write?.(tx)
      await record(tx, this.#operation.accountId, [...this.#openingEvents(), ...events])
    })
    this.#isOpening = false
  }

  /** Says how a long step is going, at most once a second. */
  async detail(name: StepName, detail: string): Promise<void> {
    const step = this.#find(name)
    if (!step || step.detail === detail || performance.now() - this.#detailedAt < DETAIL_PAUSE_MS) return
    this.#detailedAt = performance.now()
    step.detail = detail
    await fenced(this.#work.database, this.#work.lease, async (tx) => {
      await this.#save(tx)
      await record(tx, this.#operation.accountId, [this.#progressed(name, 'running', detail)])
    })
  }

  /**
   * Writes how the operation ended, or when it is tried again, with the last checkpoint. Part of a transaction that
   * does more; returns the events that tell of it.
   */
  async conclude(
    tx: Transaction,
    outcome: Prisma.OperationUncheckedUpdateManyInput,
    told: NewEvent,
    finish?: Advance['finish'],
  ) {
    // One that waited for an engine until it was too late has never been opened, and is not now.
    if (outcome.status === 'FAILED') this.#isOpening = false
    // The event of the whole operation makes one of its last step superfluous.
    this.#apply({ finish })
    await this.#save(tx, outcome)
    return [...this.#openingEvents(), told]
  }

  /** The finished ones. For an attempt that is put off: what is unfinished starts over, and its time with it. */
  restarted(): Prisma.InputJsonValue {
    return this.#steps.filter((step) => step.finishedAt) as unknown as Prisma.InputJsonValue
  }

  event(type: EventType, payload: Record<string, unknown>): NewEvent {
    return { type, appId: this.#appEnv.appId, appEnvId: this.#appEnv.id, operationId: this.#operation.id, payload }
  }

  async #save(tx: Transaction, outcome: Prisma.OperationUncheckedUpdateManyInput = {}): Promise<void> {
    const steps = this.#steps as unknown as Prisma.InputJsonValue
    const data = { ...(this.#isOpening ? this.#opening() : {}), steps, version: { increment: 1 }, ...outcome }
    await tx.operation.updateMany({ where: { id: this.#operation.id }, data })
    if (this.#isOpening && this.#operation.contentId) {
      // `start` brings back a content that has long been DEPLOYED, and stays so.
      const where = { id: this.#operation.contentId, status: 'QUEUED' as const }
      await tx.content.updateMany({ where, data: { status: 'DEPLOYING' } })
    }
  }

  /** The deadline counts from the first attempt that finds an engine; until then the operation only waited for one. */
  #opening(): Prisma.OperationUncheckedUpdateManyInput {
    const now = this.#work.lease.claim.clock.now()
    const isFirst = this.#operation.startedAt === null
    const deadlineAt = new Date(now.getTime() + this.#work.config.BERTH_OPERATION_TIMEOUT_SECONDS * 1000)
    const running = { status: 'RUNNING' as const, reason: null, message: null }
    return isFirst ? { ...running, startedAt: now, deadlineAt } : running
  }

  #openingEvents(): NewEvent[] {
    if (!this.#isOpening || this.#operation.startedAt) return []
    const { kind, contentId } = this.#operation
    return [this.event('operation.started', { kind, contentId })]
  }

  #apply({ finish, start }: Pick<Advance, 'finish' | 'start'>): NewEvent[] {
    const at = this.#work.lease.claim.clock.now().toISOString()
    const events: NewEvent[] = []
    const finished = finish && this.#find(finish.name)
    if (finish && finished && !finished.finishedAt) {
      Object.assign(finished, { finishedAt: at, detail: finish.detail })
      events.push(this.#progressed(finish.name, 'finished', finish.detail))
    }
    if (start && !this.#find(start)) {
      this.#steps.push({ name: start, startedAt: at, finishedAt: null, detail: null })
      events.push(this.#progressed(start, 'started', null))
    }
    return events
  }

  #progressed(step: StepName, state: 'started' | 'running' | 'finished', detail: string | null): NewEvent {
    return this.event('operation.progressed', { step, state, detail })
  }

  #find(name: StepName): OperationStep | undefined {
    return this.#steps.find((step) => step.name === name)
  }
}
