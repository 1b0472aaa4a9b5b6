import type { CommandContext } from '../../calls/command.ts'
import type { Config } from '../../config/config.ts'
import { isOpen } from '../../domain/operation.ts'
import type { Solution } from '../../solutions/solution.ts'
import type { Operation, SolutionComponent } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { SystemTools } from '../system/as-system.ts'
import { declarationOf } from './load-installation.ts'

export type SmokeTest = NonNullable<Solution['smokeTest']>

export interface Answered {
  passed: boolean
  /** What was asked, and what came, for the person whose installation does not go on. */
  reason: string
}

/** Asks a component what the smoke test of its solution asks. Never throws because of the component. */
export type AskSmokeTest = (appEnvId: string, smokeTest: SmokeTest) => Promise<Answered>

/** Asks the tested component, once it is deployed and before it is ready; null at any other time. */
export async function askIfDue(
  { database, vault, smokeTest: ask }: SystemTools & { smokeTest: AskSmokeTest },
  installationId: string,
): Promise<Answered | null> {
  const installation = await database.solutionInstallation.findFirst({
    where: { id: installationId, deletedAt: null },
    include: { components: true },
  })
  if (!installation) return null
  const { smokeTest } = (await declarationOf({ tx: database, vault }, installation)).solution
  const tested = installation.components.find(({ key, state }) => state === 'DEPLOYING' && key === smokeTest?.component)
  if (!smokeTest || !tested) return null
  const { appEnvId } = tested
  const newest = await database.operation.findFirst({ where: { appEnvId }, orderBy: { id: 'desc' } })
  return newest?.status === 'SUCCEEDED' ? ask(appEnvId, smokeTest) : null
}

type Progress = Pick<SolutionComponent, 'state' | 'reason' | 'message'>

/** What becomes of the tested component, which is deployed: ready when it has passed, and failed when time is up. */
export async function afterSmokeTest(
  { tx, config }: Pick<CommandContext, 'tx'> & { config: Pick<Config, 'BERTH_READY_TIMEOUT_SECONDS'> },
  newest: Pick<Operation, 'status' | 'finishedAt'> | null,
  answered: Answered | null,
): Promise<Progress> {
  const going: Progress = { state: 'DEPLOYING', reason: null, message: null }
  if (!answered) return going
  if (answered.passed) return { ...going, state: 'READY' }
  const seconds = config.BERTH_READY_TIMEOUT_SECONDS
  const now = await databaseTime(tx)
  const deployedAt = newest && !isOpen(newest.status) ? newest.finishedAt : null
  if (deployedAt && now.getTime() - deployedAt.getTime() < seconds * 1000) return going
  const message = `The smoke test did not pass within ${seconds} s: ${answered.reason}`
  return { state: 'FAILED', reason: 'SMOKE_TEST_FAILED', message }
}
