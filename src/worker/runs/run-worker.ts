import type { SealedVariable } from '../../domain/configuration.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { LeaseLost, WorkerStopping } from '../claim/abandoned.ts'
import { WorkQueue } from '../claim/work-queue.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { createMask } from '../text/secret-mask.ts'
import { sleep } from '../time/sleep.ts'
import { type LoadedRun, loadRun, type RunContext } from './run-context.ts'
import { RunKeeper } from './run-keeper.ts'
import type { RunLease } from './run-lease.ts'
import { claimRun, releaseRun } from './run-lease-table.ts'
import { superviseRun } from './supervise-run.ts'

/** Runs that wait for their containers take no slot, so a queue may have so many times more of them. */
const WAITING_PER_SLOT = 8
const FAILURE_PAUSE_MS = 1_000
const MAX_SCHEDULE_PAUSE_MS = 15_000
const MIN_SCHEDULE_PAUSE_MS = 50

type EnvironmentOf = (
  worker: WorkerContext,
  lease: RunLease,
  appEnv: ClaimedAppEnv,
  signal: AbortSignal,
) => EnvironmentContext<RunLease>

/** Carries out the job runs that one worker has claimed, and starts those that schedules ask for. */
export class RunWorker {
  readonly #context: WorkerContext
  readonly #environmentOf: EnvironmentOf
  readonly #keeper: RunKeeper
  readonly #queue: WorkQueue<RunLease>
  #scheduleChanged = Promise.withResolvers<void>()

  constructor(context: WorkerContext, owner: string, environmentOf: EnvironmentOf) {
    const { database, config, log } = context
    this.#context = context
    this.#environmentOf = environmentOf
    this.#keeper = new RunKeeper(database, config.BERTH_LEASE_SECONDS, log)
    this.#queue = new WorkQueue({
      slots: Math.ceil(config.BERTH_JOB_RUNS / WAITING_PER_SLOT),
      log,
      claim: (shares) =>
        claimRun(database, {
          shares,
          owner,
          leaseSeconds: config.BERTH_LEASE_SECONDS,
          accountContainers: config.BERTH_ACCOUNT_CONTAINERS,
          scope: context.scope,
        }),
      process: (lease) => this.#process(lease),
    })
  }

  /** A run or a schedule of the environment has changed; null: perhaps of any. */
  notify(appEnvId: string | null): void {
    if (appEnvId !== null) this.#keeper.checkNow(appEnvId)
    this.#queue.wake()
    this.#scheduleChanged.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#queue.run(signal), this.#keeper.run(signal), this.#startScheduled(signal)])
  }

  /** Hands the runs back: their containers go on, and another worker watches them. */
  stop(reason: WorkerStopping): void {
    for (const lease of this.#keeper.held) lease.end(reason)
  }

  async #process(lease: RunLease): Promise<void> {
    const { database, log } = this.#context
    this.#keeper.add(lease)
    failpoint('run.claimed', lease.appEnvId)
    try {
      const loaded = await loadRun(database, lease.runId)
      const environment = this.#environmentOf(this.#context, lease, loaded.appEnv, lease.signal)
      await superviseRun(runContext(this.#context, loaded, environment), loaded)
    } catch (error) {
      const cause = lease.signal.aborted ? lease.signal.reason : error
      log.debug({ err: cause, jobRunId: lease.runId }, 'Work on a job run was abandoned')
      if (!(cause instanceof WorkerStopping || cause instanceof LeaseLost)) await sleep(FAILURE_PAUSE_MS, lease.signal)
    }
    this.#keeper.drop(lease)
    lease.close()
    await releaseRun(database, lease).catch((error: unknown) =>
      log.warn({ err: error, jobRunId: lease.runId }, 'Releasing a job run failed; its lease expires on its own'),
    )
  }

  /** Sleeps until the next time of any schedule; any number of workers may start what is due. */
  async #startScheduled(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#scheduleChanged = Promise.withResolvers()
      const next = await this.#context.beginDueJobRuns().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'Starting scheduled job runs failed; it is retried')
        return null
      })
      const leftMs = next === null ? MAX_SCHEDULE_PAUSE_MS : next * 1000
      const pauseMs = Math.min(Math.max(leftMs, MIN_SCHEDULE_PAUSE_MS), MAX_SCHEDULE_PAUSE_MS)
      await sleep(pauseMs, signal, this.#scheduleChanged.promise)
    }
  }
}

/** What the work on an environment needs, and what its runs need besides. Their own secrets are masked, too. */
function runContext(
  worker: WorkerContext,
  { appEnv, snapshot, run }: LoadedRun,
  context: EnvironmentContext<RunLease>,
): RunContext {
  const own = [...snapshot.envVars.filter(({ isSecret }) => isSecret), run.stdin as SealedVariable | null]
  const secrets = worker.vault.forAccount(appEnv.account)
  const hide = createMask(own.flatMap((variable) => (variable ? [secrets.openVariable(variable)] : [])))
  return { ...context, output: worker.collector.context, quote: (text) => context.quote(hide(text)) }
}
