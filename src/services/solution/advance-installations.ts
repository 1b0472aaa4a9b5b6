import type { Logger } from 'pino'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { asSystemOn, type SystemTools } from '../system/as-system.ts'
import { advance } from './advance.ts'
import { lockInstallationIfThere } from './load-installation.ts'
import { type Answered, type AskSmokeTest, askIfDue } from './smoke-test.ts'

interface Tools extends SystemTools {
  log: Logger
  smokeTest: AskSmokeTest
}

/** The actor of deployments that an installation goes on with. */
const INSTALLATION = 'solution-installation'
const AT_ONCE = 50

/**
 * Takes installations further of which an operation or a job run has ended, each once however many workers look: its row is locked,
 * and what it has become is read again under the lock. One that fails is logged; the others go on.
 */
export async function advanceInstallations(tools: Tools): Promise<void> {
  // In no order: one that fails again and again must not keep others from their turn.
  const due = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT id FROM solution_installation i WHERE status = 'INSTALLING' AND deleted_at IS NULL AND EXISTS (
      SELECT 1 FROM solution_component c WHERE c.installation_id = i.id AND c.state = 'DEPLOYING' AND NOT EXISTS (
        SELECT 1 FROM operation o WHERE o.app_env_id = c.app_env_id AND o.status IN ('QUEUED', 'RUNNING'))
      AND NOT EXISTS (SELECT 1 FROM job_run r WHERE r.id = c.job_run_id AND r.status IN ('QUEUED', 'RUNNING')))
    ORDER BY random() LIMIT ${AT_ONCE}`
  // Side by side: what does not answer takes as long as it may.
  const asked = await Promise.allSettled(due.map(({ id }) => askIfDue(tools, id)))
  for (const [at, { id }] of due.entries()) {
    const answered = asked[at]
    try {
      if (answered?.status === 'rejected') throw answered.reason
      await advanceOne(tools, id, answered?.value ?? null)
    } catch (error) {
      tools.log.warn({ err: error, installationId: id }, 'Going on with an installation failed; it is retried')
    }
  }
}

async function advanceOne(tools: Tools, id: string, answered: Answered | null): Promise<void> {
  const lock = (tx: Transaction) => lockInstallationIfThere(tx, id)
  await asSystemOn(tools, { actor: INSTALLATION, lock }, async (context, installation) => {
    failpoint('installation.locked', id)
    const operationIds = await advance(context, installation, answered)
    if (!operationIds) return null
    failpoint('installation.written', id)
    const { status } = await context.tx.solutionInstallation.findUniqueOrThrow({ where: { id } })
    return {
      action: 'advanceInstallation',
      targetType: 'installation',
      targetId: id,
      details: { status, operationIds },
    }
  })
  failpoint('installation.committed', id)
}
