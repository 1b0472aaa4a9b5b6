import type { SolutionComponent } from '../../database/generated/prisma/client.ts'
import { databaseTime } from '../../database/time.ts'
import { DomainError } from '../../domain/errors.ts'
import { isOpen } from '../../domain/operation.ts'
import { findSolution } from '../../solutions/solutions.ts'
import { configurationOf } from '../configuration/configured.ts'
import type { CommandContext } from '../kernel/command.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { imageContent } from '../lifecycle/new-content.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import type { LoadedInstallation } from './load-installation.ts'

type Progress = Pick<SolutionComponent, 'state' | 'reason' | 'message' | 'operationId'>
type Step = SolutionComponent & { before: SolutionComponent['state'] }

/**
 * Takes an installation as far as it can go now, under its lock: reads what has become of its components, deploys those
 * whose dependencies are ready, and marks the end. True when anything has changed.
 */
export async function advance(context: CommandContext, installation: LoadedInstallation): Promise<boolean> {
  if (installation.status !== 'INSTALLING') return false
  const components: Step[] = []
  for (const component of installation.components) {
    const progress = component.state === 'DEPLOYING' ? await observe(context, component) : component
    components.push({ ...component, ...progress, before: component.state })
  }
  const dependsOn = dependenciesOf(installation.solutionSlug)
  const states = new Map(components.map(({ key, state }) => [key, state]))
  for (const component of components) {
    const isDue = component.state === 'PENDING' && dependsOn(component.key).every((key) => states.get(key) === 'READY')
    if (isDue) Object.assign(component, await deploy(context, installation, component))
  }
  const changed = components.filter(({ state, before }) => state !== before)
  for (const { key, state, reason, message, operationId } of changed) {
    const id = { installationId_key: { installationId: installation.id, key } }
    await context.tx.solutionComponent.update({ where: id, data: { state, reason, message, operationId } })
  }
  const isGoingOn = components.some(({ state }) => state === 'DEPLOYING')
  const isReady = components.every(({ state }) => state === 'READY')
  const status = isGoingOn ? 'INSTALLING' : isReady ? 'INSTALLED' : 'INCOMPLETE'
  if (changed.length === 0 && status === installation.status) return false
  const finishedAt = isGoingOn ? null : await databaseTime(context.tx)
  await context.tx.solutionInstallation.update({
    where: { id: installation.id },
    data: { status, finishedAt, version: { increment: 1 } },
  })
  announceProgress(context, installation.id, status, components)
  return true
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

function dependenciesOf(slug: string): (key: string) => readonly string[] {
  const components = findSolution(slug)?.components ?? []
  return (key) => components.find((one) => one.key === key)?.dependsOn ?? []
}

/** What has become of a component that was being deployed, whoever has deployed it last. */
async function observe({ tx }: CommandContext, { appEnvId, operationId }: SolutionComponent): Promise<Progress> {
  const appEnv = await tx.appEnv.findUnique({ where: { id: appEnvId } })
  if (!appEnv || appEnv.deletedAt !== null) {
    return { state: 'FAILED', operationId, reason: 'DELETED', message: 'The environment was deleted meanwhile' }
  }
  const newest = await tx.operation.findFirst({ where: { appEnvId }, orderBy: { id: 'desc' } })
  if (newest && isOpen(newest.status)) return { state: 'DEPLOYING', operationId, reason: null, message: null }
  if (appEnv.status === 'STOPPED') {
    return { state: 'FAILED', operationId, reason: 'STOPPED', message: 'The environment was stopped meanwhile' }
  }
  if (appEnv.currentContentId !== null) return { state: 'READY', operationId, reason: null, message: null }
  const { reason = null, message = null } = newest ?? {}
  return { state: 'FAILED', operationId, reason: reason ?? 'NOT_DEPLOYED', message }
}

/** Begins the deployment of a component. One that is refused has failed; the others go on. */
async function deploy(
  context: CommandContext,
  { solutionSlug }: LoadedInstallation,
  { key, appEnvId }: SolutionComponent,
): Promise<Progress> {
  try {
    const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
    const image = await imageOf(context, solutionSlug, key, appEnvId)
    const content = imageContent(image, configurationOf(appEnv))
    const { id: operationId } = await beginOperation(context, appEnv, { kind: 'DEPLOY_IMAGE', content })
    return { state: 'DEPLOYING', operationId, reason: null, message: null }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { state: 'FAILED', operationId: null, reason: error.reason ?? error.code, message: error.message }
  }
}

/** A managed service is tried again with the image that its preset has chosen. */
async function imageOf({ tx }: CommandContext, slug: string, key: string, appEnvId: string): Promise<string> {
  const declared = findSolution(slug)?.components.find((one) => one.key === key)?.image
  if (declared !== undefined) return declared
  const content = await tx.content.findFirst({ where: { appEnvId }, orderBy: { version: 'desc' } })
  if (content) return content.image
  throw new DomainError('NOT_FOUND', undefined, `The solution "${slug}" has no component "${key}" any more`)
}
