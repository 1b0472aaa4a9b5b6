import type { Outcome } from '../../domain/webhook.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { LeaseLost } from '../claim/abandoned.ts'
import { WorkQueue } from '../claim/work-queue.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { dueQueues, eventOf, type Receiver, type Waiting } from './delivery.ts'
import { deleteOldDeliveries, giveUp, recordAttempt } from './record-attempt.ts'
import { send } from './send.ts'
import { MAX_WAITING, takeEvents } from './take-events.ts'
import { claimWebhook, releaseWebhook, type WebhookLease } from './webhook-lease.ts'

/** Queues of one webhook that are sent in parallel. */
const MAX_PARALLEL = 4
/** What a round needs besides its attempts. */
const MARGIN_SECONDS = 10

export type WebhookContext = Pick<WorkerContext, 'database' | 'config' | 'vault' | 'log'>

interface Round {
  context: WebhookContext
  lease: WebhookLease
  receiver: Receiver
  /** After this time, by performance.now(), no attempt begins: it could not end within the lease. */
  until: number
  stopping: AbortSignal
  isOver: boolean
  /** A delivery has ended, so that another may be more than are kept. */
  hasEnded: boolean
}

/**
 * Delivers what webhooks send, in rounds: claim a webhook, take new events, attempt what is due, give it back. A worker
 * that dies in a round leaves deliveries that wait, and its lease expires.
 */
export class WebhookWorker {
  readonly #context: WebhookContext
  readonly #queue: WorkQueue<WebhookLease>
  #stopping: AbortSignal = new AbortController().signal

  constructor(context: WebhookContext, owner: string) {
    const { database, config, log } = context
    const leaseSeconds = 2 * config.BERTH_WEBHOOK_TIMEOUT_SECONDS + MARGIN_SECONDS
    this.#context = context
    this.#queue = new WorkQueue({
      slots: config.BERTH_WEBHOOK_CONCURRENCY,
      log,
      claim: (shares) => claimWebhook(database, owner, leaseSeconds, shares),
      process: (lease) => this.#process(lease),
    })
  }

  /** Attempts that are under way when the signal fires may end; no other begins. */
  run(signal: AbortSignal): Promise<void> {
    this.#stopping = signal
    return this.#queue.run(signal)
  }

  async #process(lease: WebhookLease): Promise<void> {
    const { database, config, log } = this.#context
    failpoint('webhook.claimed', lease.webhookId)
    const until = performance.now() + config.BERTH_WEBHOOK_TIMEOUT_SECONDS * 1000
    try {
      await takeEvents(database, lease)
      const receiver = await receiverOf(this.#context, lease.webhookId)
      const round = { context: this.#context, lease, receiver, until, stopping: this.#stopping }
      if (await attemptAll({ ...round, isOver: false, hasEnded: false }))
        await deleteOldDeliveries({ database, config, lease })
      await releaseWebhook(database, lease, MAX_WAITING)
    } catch (error) {
      if (!(error instanceof LeaseLost))
        log.warn({ err: error, webhookId: lease.webhookId }, 'Delivering failed; it is retried when the lease expires')
    } finally {
      lease.close()
    }
  }
}

async function receiverOf({ database, vault }: WebhookContext, webhookId: string): Promise<Receiver> {
  const webhook = await database.webhook.findUniqueOrThrow({ where: { id: webhookId }, include: { account: true } })
  const [former] = await database.$queryRaw<{ holds: boolean | null }[]>`
    SELECT former_secret_until > now() AS holds FROM webhook WHERE id = ${webhookId}`
  const secrets = vault.forAccount(webhook.account).openWebhook(webhookId, webhook.sealedData) as Receiver['secrets']
  return { webhook, secrets, signsTwice: former?.holds === true }
}

/** Whether any delivery has ended. */
async function attemptAll(round: Round): Promise<boolean> {
  const queues = await dueQueues(round.context.database, round.lease.webhookId)
  await inParallel(queues, MAX_PARALLEL, (queue) => attemptQueue(round, queue))
  return round.hasEnded
}

/** One after the other, up to the first that fails: what comes after it must not arrive before it. */
async function attemptQueue(round: Round, queue: readonly Waiting[]): Promise<void> {
  for (const delivery of queue) {
    const isLate = performance.now() > round.until
    if (round.isOver || isLate || round.stopping.aborted || !(await attemptOne(round, delivery))) return
  }
}

/** Whether the next of the queue may follow. */
async function attemptOne(round: Round, delivery: Waiting): Promise<boolean> {
  const { context, lease, receiver } = round
  const { database, config } = context
  const recording = { database, config, lease, receiver }
  const event = await eventOf(database, receiver.webhook.accountId, delivery.sequence)
  if (!event) {
    await giveUp(recording, delivery)
    round.hasEnded = true
    return true
  }
  // A worker that was paused sends nothing in another's time.
  lease.assertHeld()
  const begunAt = performance.now()
  const outcome = await sendInTime(round, delivery.id, event)
  failpoint('webhook.sent', lease.webhookId)
  const durationMs = Math.round(performance.now() - begunAt)
  const isOn = await recordAttempt(recording, delivery, { ...outcome, durationMs })
  round.isOver ||= !isOn
  round.hasEnded ||= outcome.delivered || delivery.isTest
  return outcome.delivered && isOn
}

async function sendInTime(
  { context: { database, config }, receiver }: Round,
  deliveryId: string,
  event: Parameters<typeof send>[0]['event'],
): Promise<Outcome> {
  const seconds = config.BERTH_WEBHOOK_TIMEOUT_SECONDS
  const signal = AbortSignal.timeout(seconds * 1000)
  try {
    return await send({ database, config, receiver, deliveryId, event, signal })
  } catch (error) {
    const words = signal.aborted ? `No answer within ${seconds} s` : wordsOf(error)
    return { delivered: false, answerStatus: null, answer: null, error: words }
  }
}

/** A code says why without an address that was resolved, or a login. */
function wordsOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'Connection refused'
  if (code === 'ECONNRESET') return 'The connection was closed before an answer'
  return `No answer: ${code ?? name}`
}
