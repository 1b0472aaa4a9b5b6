import type { Config } from '../../config/config.ts'
import type { RecordScaling } from '../../domain/autoscaling.ts'
import type { PartState } from '../../domain/part-states.ts'
import { beginDueJobRuns } from '../../services/job-schedule/due-job-runs.ts'
import { autoscaleAppEnv } from '../../services/lifecycle/autoscale-app-env.ts'
import { beginDueBackups } from '../../services/lifecycle/due-backups.ts'
import { deleteExpiredAppEnvs } from '../../services/pull-request-envs/delete-expired-app-envs.ts'
import { advanceInstallations } from '../../services/solution/advance-installations.ts'
import type { AskSmokeTest } from '../../services/solution/smoke-test.ts'
import { askSmokeTest } from '../../worker/probes/smoke-test.ts'
import { createWorker, type Worker } from '../../worker/worker.ts'
import { readInstallationSite } from '../installation-site.ts'
import type { WorkerContext } from '../role-context.ts'
import { registerTaskMetrics, taskPart } from '../task-part.ts'

export async function startWorker(context: WorkerContext): Promise<void> {
  const { readiness, undo, processRegistration, ...rest } = context
  const recordScaling: RecordScaling = (change) => autoscaleAppEnv(rest, change)
  const smokeTest: AskSmokeTest = (appEnvId, asked) => askSmokeTest(rest.database, appEnvId, asked)
  const worker = createWorker({
    ...rest,
    recordScaling,
    beginDueBackups: () => beginDueBackups(rest),
    beginDueJobRuns: () => beginDueJobRuns(rest),
    advanceInstallations: () => advanceInstallations({ ...rest, smokeTest }),
    deleteExpiredAppEnvs: () => deleteExpiredAppEnvs(rest),
    id: processRegistration.name,
    site: await readInstallationSite(context),
  })
  worker.start()
  undo.defer(() => worker.stop())
  readiness.worker = { isRequired: true, check: () => worker.lastError ?? { ready: worker.isReady(), reason: null } }
  // Not required: what fails is run again, and all others go on.
  readiness.tasks = { isRequired: false, check: () => taskPart(worker.tasks) }
  registerTaskMetrics(rest.registry, worker)
  // Not required: without an engine, requests are still recorded, and their operations wait.
  readiness.engine = {
    isRequired: false,
    check: () => enginePart(worker.engine),
  }
  readiness.builder = { isRequired: false, check: () => builderPart(context.config) }
}

const builderPart = ({ BERTH_BUILDER }: Config): PartState =>
  BERTH_BUILDER === 'engine'
    ? {
        ready: true,
        state: 'BUILDER_SHARED',
        reason:
          'All accounts build in the builder of the engine (BERTH_BUILDER=engine): they share its cache, and on Docker 23 and newer no limit of a build holds',
      }
    : { ready: true, reason: null }

const enginePart = ({ reachable, fault, reason }: Worker['engine']): PartState =>
  reachable === true
    ? { ready: true, reason: null }
    : { ready: false, state: reachable === null ? 'STARTING' : (fault ?? 'ENGINE_UNREACHABLE'), reason }
