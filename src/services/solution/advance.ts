import { isRolledOut } from '../../app-types/behaviours.ts'
import type { CommandContext } from '../../calls/command.ts'
import { DomainError } from '../../domain/errors.ts'
import { isOpen } from '../../domain/operation.ts'
import type { Component } from '../../solutions/solution.ts'
import type { SolutionComponent } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { configurationOf } from '../configuration/configured.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { nextBuild } from '../lifecycle/build.ts'
import { imageContent } from '../lifecycle/new-content.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { observeJob } from './component-job.ts'
import { declarationOf, type LoadedInstallation } from './load-installation.ts'
import { type Answered, afterSmokeTest } from './smoke-test.ts'

type Progress = Pick<SolutionComponent, 'state' | 'reason' | 'message' | 'operationId' | 'jobRunId'>
type Step = SolutionComponent & { before: SolutionComponent['state']; runBefore: string | null }

/**
 * Takes an installation as far as it can go now, under its lock: reads what has become of its components, deploys those
 * whose dependencies are ready, and marks the end. Returns the operations that it began; null when nothing has changed.
 */
export async function advance(
  outer: CommandContext,
  installation: LoadedInstallation,
  answered: Answered | null = null,
): Promise<string[] | null> {
  if (installation.status !== 'INSTALLING') return null
  // The audit entry is about the installation.
  const context: CommandContext = { ...outer, auditDetails() {} }
  const { solution } = await declarationOf(context, installation)
  const components: Step[] = []
  for (const component of installation.components) {
    const observed = () => observe(context, component, solution.smokeTest?.component === component.key, answered)
    const progress = component.state === 'DEPLOYING' ? await observed() : component
    components.push({ ...component, ...progress, before: component.state, runBefore: component.jobRunId })
  }
  const declared = new Map(solution.components.map((one) => [one.key, one]))
  const states = new Map(components.map(({ key, state }) => [key, state]))
  for (const component of components) {
    const { dependsOn = [] } = declared.get(component.key) ?? {}
    const isDue = component.state === 'PENDING' && dependsOn.every((key) => states.get(key) === 'READY')
    if (isDue) Object.assign(component, await deploy(context, component, declared.get(component.key)))
  }
  const changed = components.filter(
    ({ state, before, jobRunId, runBefore }) => state !== before || jobRunId !== runBefore,
  )
  for (const { key, state, reason, message, operationId, jobRunId } of changed) {
    const id = { installationId_key: { installationId: installation.id, key } }
    await context.tx.solutionComponent.update({ where: id, data: { state, reason, message, operationId, jobRunId } })
  }
  const isGoingOn = components.some(({ state }) => state === 'DEPLOYING')
  const isReady = components.every(({ state }) => state === 'READY')
  const status = isGoingOn ? 'INSTALLING' : isReady ? 'INSTALLED' : 'INCOMPLETE'
  if (changed.length === 0 && status === installation.status) return null
  const finishedAt = isGoingOn ? null : await databaseTime(context.tx)
  await context.tx.solutionInstallation.update({
    where: { id: installation.id },
    data: { status, finishedAt, version: { increment: 1 } },
  })
  announceProgress(context, installation.id, status, components)
  const begun = changed.filter(({ before }) => before === 'PENDING')
  return begun.flatMap(({ operationId }) => operationId ?? [])
}

/** Names the operations in the audit entry; a dry run leaves them out, because they will never exist. */
export function recordOperations(
  { auditDetails, created }: CommandContext,
  components: readonly Pick<SolutionComponent, 'operationId'>[],
  begun: readonly string[] | null,
): void {
  const operationIds = [...components.flatMap(({ operationId }) => operationId ?? []), ...(begun ?? [])]
  created(operationIds)
  auditDetails({ operationIds })
}

export function announceProgress(
  { announce }: CommandContext,
  installationId: string,
  status: string,
  components: readonly Pick<SolutionComponent, 'key' | 'state'>[],
): void {
  const states = Object.fromEntries(components.map(({ key, state }) => [key, state]))
  announce({ type: 'installation.changed', payload: { installationId, status, components: states } })
}

/** What has become of a component that was being deployed, by any worker that deployed it last. */
async function observe(
  context: CommandContext,
  component: SolutionComponent,
  isTested: boolean,
  answered: Answered | null,
): Promise<Progress> {
  const { appEnvId, operationId, jobRunId } = component
  const { tx } = context
  const going: Progress = { state: 'DEPLOYING', operationId, jobRunId, reason: null, message: null }
  const failed = (reason: string, message: string | null): Progress => ({ ...going, state: 'FAILED', reason, message })
  // Before its environment, which an operation that has ended has changed: it may end at this moment.
  const newest = await tx.operation.findFirst({ where: { appEnvId }, orderBy: { id: 'desc' } })
  const appEnv = await tx.appEnv.findUnique({ where: { id: appEnvId }, include: { app: true } })
  if (!appEnv || appEnv.deletedAt !== null) return failed('DELETED', 'The environment was deleted meanwhile')
  if (newest && isOpen(newest.status)) return going
  if (appEnv.status === 'STOPPED') return failed('STOPPED', 'The environment was stopped meanwhile')
  if (appEnv.currentContentId === null) return failed(newest?.reason ?? 'NOT_DEPLOYED', newest?.message ?? null)
  if (isTested) return { ...going, ...(await afterSmokeTest(context, newest, answered)) }
  if (isRolledOut(appEnv.app)) return { ...going, state: 'READY' }
  return orFailed(going, async () => ({ ...going, ...(await observeJob(context, component)) }))
}

/** Begins the deployment of a component. One that is refused has failed; the others go on. */
const deploy = (context: CommandContext, { appEnvId }: SolutionComponent, declared: Component | undefined) =>
  orFailed({ operationId: null, jobRunId: null }, async () => {
    const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
    const operation = declared?.build
      ? ({ kind: 'BUILD', content: await nextBuild(context, appEnv, false) } as const)
      : ({ kind: 'DEPLOY_IMAGE', content: await imageContentOf(context, declared, appEnv) } as const)
    const { id: operationId } = await beginOperation(context, appEnv, operation)
    return { state: 'DEPLOYING', operationId, jobRunId: null, reason: null, message: null }
  })

async function orFailed(
  { operationId, jobRunId }: Pick<Progress, 'operationId' | 'jobRunId'>,
  step: () => Promise<Progress>,
): Promise<Progress> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { state: 'FAILED', operationId, jobRunId, reason: error.reason ?? error.code, message: error.message }
  }
}

/** A managed service is tried again with the image that its preset has chosen. */
async function imageContentOf(context: CommandContext, declared: Component | undefined, appEnv: LoadedAppEnv) {
  const image = declared?.image ?? (await newestImage(context, appEnv.id))
  return imageContent(image, configurationOf(appEnv))
}

async function newestImage({ tx }: CommandContext, appEnvId: string): Promise<string> {
  const content = await tx.content.findFirst({ where: { appEnvId }, orderBy: { version: 'desc' } })
  if (content) return content.image
  throw new DomainError('NOT_FOUND', undefined, 'The solution has no such component any more')
}
