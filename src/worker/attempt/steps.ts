import type { Config } from '../../config/config.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { OperationStep } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { EventType, NewEvent } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import { fenced } from '../claim/fenced.ts'
import { buildLimitsOf } from '../context/build-limits.ts'
import type { ClaimedAppEnv, ClaimedOperation, EnvironmentContext } from '../context/environment-context.ts'
import { plainText } from '../text/plain-text.ts'

const OPEN = ['QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING'] as const

/** Writes to the version of an operation. `start` brings back a version that was DEPLOYED long ago, which stays as it is. */
export async function writeToOpenVersion(
  tx: Transaction,
  contentId: string | null,
  data: Prisma.ContentUncheckedUpdateManyInput,
): Promise<void> {
  if (contentId) await tx.content.updateMany({ where: { id: contentId, status: { in: [...OPEN] } }, data })
}

export type StepName =
  | 'source'
  | 'build'
  | 'push'
  | 'pull'
  | 'release'
  | 'create'
  | 'ready'
  | 'route'
  | 'rotate'
  | 'unroute'
  | 'stop'
  | 'remove'
  | 'purge'
  | 'save'
  | 'restore'
  | 'verify'

const DETAIL_PAUSE_MS = 1_000

/** A finished step, and a detail for the user. */
export interface FinishedStep {
  name: StepName
  detail: string | null
}

interface Advance {
  finish?: FinishedStep
  start?: StepName
  /** Further writes that belong to the same checkpoint. */
  write?: (tx: Transaction) => Promise<unknown>
}

const MOVES_DATA: readonly string[] = ['BACKUP', 'RESTORE', 'VERIFY_BACKUP']

/** How long an operation may take. Builds, release commands and backups get their own timeouts on top. */
export function timeFor(
  config: Config,
  appEnv: ClaimedAppEnv,
  { kind, content }: Pick<ClaimedOperation, 'kind' | 'content'>,
): number {
  const building = content?.buildPlan && !content.imageDigest
  const forBuild = building ? config.BERTH_SOURCE_TIMEOUT_SECONDS + buildLimitsOf(appEnv, config).timeoutSeconds : 0
  const forBackup = MOVES_DATA.includes(kind) ? config.BERTH_BACKUP_TIMEOUT_SECONDS : 0
  const release = content && !content.deployedAt ? recordedConfiguration(content).release : null
  return config.BERTH_OPERATION_TIMEOUT_SECONDS + forBuild + forBackup + (release?.timeoutSeconds ?? 0)
}

/**
 * The checkpoints of one operation. A finished step is recorded before the next one begins, so a successor repeats at
 * most the step that was running. Finishing a step and starting the next is one write.
 */
export class Steps {
  readonly #context: EnvironmentContext
  readonly #appEnv: ClaimedAppEnv
  readonly #operation: ClaimedOperation
  #steps: OperationStep[]
  /** True until the operation's row says that it is running. */
  #isOpening: boolean
  #detailedAt = 0

  constructor(context: EnvironmentContext, appEnv: ClaimedAppEnv, operation: ClaimedOperation) {
    this.#context = context
    this.#appEnv = appEnv
    this.#operation = operation
    this.#steps = operation.steps as unknown as OperationStep[]
    this.#isOpening = operation.status === 'QUEUED' || operation.reason !== null
  }

  isFinished(name: StepName): boolean {
    return Boolean(this.#find(name)?.finishedAt)
  }

  /** When a step began, by the database's clock. A successor keeps counting from there. */
  startedAt(name: StepName): Date {
    const step = this.#find(name)
    return step ? new Date(step.startedAt) : this.#context.lease.claim.clock.now()
  }

  async advance({ finish, start, write }: Advance): Promise<void> {
    const isProgress = finish !== undefined && !this.isFinished(finish.name)
    const events = [...(finish ? this.#finish(finish) : []), ...(start ? this.#start(start) : [])]
    if (events.length === 0 && !write && !this.#isOpening) return
    await fenced(this.#context.database, this.#context.lease, async (tx) => {
      // Whatever ends the worker from here on, it is not what this step did.
      await this.#save(tx, isProgress ? { unfinishedClaims: 0, runsAlone: false } : {})
      await write?.(tx)
      await record(tx, this.#operation.accountId, [...this.#openingEvents(), ...events])
    })
    this.#isOpening = false
  }

  /**
   * Records the progress of a long step, at most once a second. The message, if any, is shown with the operation and
   * its version until they end.
   */
  async detail(name: StepName, detail: string, message?: string): Promise<void> {
    const step = this.#find(name)
    if (!step || step.detail === detail || performance.now() - this.#detailedAt < DETAIL_PAUSE_MS) return
    this.#detailedAt = performance.now()
    step.detail = await this.#context.quote(detail)
    const waiting = message === undefined ? {} : { message: await this.#context.quote(message) }
    await fenced(this.#context.database, this.#context.lease, async (tx) => {
      await this.#save(tx, waiting)
      if (message !== undefined) await writeToOpenVersion(tx, this.#operation.contentId, waiting)
      await record(tx, this.#operation.accountId, [this.#progressed(name, 'running', step.detail)])
    })
  }

  /**
   * Records that a step waits or goes on, and the operation's new deadline. If its worker ends while it waits, others'
   * work did that.
   */
  async wait(name: StepName, detail: string, { leftMs, isWaiting }: { leftMs: number; isWaiting: boolean }) {
    const step = this.#find(name)
    if (step) step.detail = plainText(detail)
    this.#detailedAt = performance.now()
    const deadlineAt = new Date(this.#context.lease.claim.clock.now().getTime() + leftMs)
    await fenced(this.#context.database, this.#context.lease, async (tx) => {
      await this.#save(tx, { deadlineAt, unfinishedClaims: isWaiting ? 0 : 1 })
      await record(tx, this.#operation.accountId, [this.#progressed(name, 'running', detail)])
    })
  }

  /** Records the outcome and the last steps within a larger transaction. Returns the events to record. */
  async conclude(
    tx: Transaction,
    outcome: Prisma.OperationUncheckedUpdateManyInput,
    event: NewEvent,
    finish: readonly FinishedStep[] = [],
  ) {
    // An operation that only ever waited for an engine was never opened, and is not opened to fail.
    if (outcome.status === 'FAILED') this.#isOpening = false
    // The operation's own event makes those of its last steps superfluous.
    for (const step of finish) this.#finish(step)
    await this.#save(tx, outcome)
    return [...this.#openingEvents(), event]
  }

  /** The finished steps, for a retry: an unfinished step starts over, and so does its time. */
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
    // What a retry waited for is over.
    if (this.#isOpening) await writeToOpenVersion(tx, this.#operation.contentId, { message: null })
    if (this.#isOpening && this.#operation.contentId) {
      // `start` redeploys a version that was DEPLOYED long ago; its status stays.
      const where = { id: this.#operation.contentId, status: 'QUEUED' as const }
      const { content } = this.#operation
      const status = content?.buildPlan && !content.imageDigest ? 'BUILDING' : 'DEPLOYING'
      await tx.content.updateMany({ where, data: { status } })
    }
  }

  /** The deadline counts from the first attempt that reaches an engine; before that, the operation only waited. */
  #opening(): Prisma.OperationUncheckedUpdateManyInput {
    const now = this.#context.lease.claim.clock.now()
    const isFirst = this.#operation.startedAt === null
    const deadlineAt = new Date(now.getTime() + timeFor(this.#context.config, this.#appEnv, this.#operation) * 1000)
    const running = { status: 'RUNNING' as const, reason: null, message: null }
    return isFirst ? { ...running, startedAt: now, deadlineAt } : running
  }

  #openingEvents(): NewEvent[] {
    if (!this.#isOpening || this.#operation.startedAt) return []
    const { kind, contentId } = this.#operation
    return [this.event('operation.started', { kind, contentId })]
  }

  #start(name: StepName): NewEvent[] {
    if (this.#find(name)) return []
    this.#steps.push({ name, startedAt: this.#now(), finishedAt: null, detail: null })
    return [this.#progressed(name, 'started', null)]
  }

  /** A step that happens within the last transaction starts and finishes there. */
  #finish({ name, detail }: FinishedStep): NewEvent[] {
    if (this.isFinished(name)) return []
    this.#start(name)
    const event = detail === null ? null : plainText(detail)
    Object.assign(this.#find(name) ?? {}, { finishedAt: this.#now(), detail: event })
    return [this.#progressed(name, 'finished', event)]
  }

  #progressed(step: StepName, state: 'started' | 'running' | 'finished', detail: string | null): NewEvent {
    return this.event('operation.progressed', { step, state, detail })
  }

  #now(): string {
    return this.#context.lease.claim.clock.now().toISOString()
  }

  #find(name: StepName): OperationStep | undefined {
    return this.#steps.find((step) => step.name === name)
  }
}
