import type { CommandContext } from '../../calls/command.ts'
import { conflict, DomainError } from '../../domain/errors.ts'
import type { ChangeKind } from '../../domain/pending-changes.ts'
import type { Content, Operation, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { configurationOf, configuredImage, pendingChangesOf } from '../configuration/configured.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { type LoadedAppEnv, loadEverything } from '../targets/load-app-env.ts'
import { beginOperation, isStopped, openOperationOf } from './begin-operation.ts'
import { nextBuild } from './build.ts'
import { lifecycleOperation, type Plan, warningOf } from './lifecycle-operation.ts'
import { imageContent, type NewContent, repeatedContent } from './new-content.ts'

export const applyChanges = lifecycleOperation({
  name: 'applyChanges',
  path: '/app-env/apply-changes',
  about: 'Apply the pending changes of an environment: build, deploy or scale, as the changes need.',
  example: { answer: acceptedExample('The pending changes are being applied') },
  accepted: 'The pending changes are being applied',
  input: {},
  async plan(context, appEnv) {
    if (await isStopped(context.tx, appEnv)) {
      throw conflict(
        'ENVIRONMENT_STOPPED',
        `The environment is ${howStopped(appEnv)}; start it first, then apply its changes`,
      )
    }
    return planChanges(context, appEnv)
  },
})

type PlanWithMessage = Plan & { message: string }

/** Compares with the version in progress, if there is one: applying a variable must not undo a deployment. */
async function planChanges(context: CommandContext, appEnv: LoadedAppEnv): Promise<PlanWithMessage> {
  const open = await openOperationOf(context.tx, appEnv)
  const coming = open?.contentId ? await context.tx.content.findUnique({ where: { id: open.contentId } }) : null
  const base = coming ?? appEnv.currentContent
  const changes = pendingChangesOf({ ...appEnv, currentContent: base }, context.vault)
  if (changes.length === 0) return { intent: null, message: 'There is nothing to apply: no changes are pending' }
  const fields = changes.map(({ field }) => field)
  const needs = (kind: ChangeKind) => changes.some((change) => change.kind === kind)
  const applying = (doing: string, content?: NewContent): PlanWithMessage => {
    context.auditDetails({ changes: fields })
    const intent = { kind: 'APPLY_CHANGES' as const, ...(content ? { content } : {}) }
    return { intent, message: `${doing}: ${fields.join(', ')}` }
  }
  // A build is deployed with all other changes, and a deployment starts as many containers as are configured.
  if (needs('BUILD')) return applying('Building and deploying the changes', await nextBuild(context, appEnv, false))
  if (needs('DEPLOY')) return applying('Deploying the changes', nextContent(appEnv, base))
  // An operation that supersedes a deployment, or a start, has to bring about the same result.
  return coming ? applying('Deploying the changes', nextContent(appEnv, base)) : applying('Scaling')
}

function nextContent(appEnv: LoadedAppEnv, base: Content | null): NewContent {
  const configuration = configurationOf(appEnv)
  const isBuilt = base?.type === 'BUILD'
  // A version that is still being built keeps its build, with the current configuration for running it.
  if (base && isBuilt && !appEnv.app.useImage) return repeatedContent(base, configuration)
  const image = configuredImage(appEnv, base)
  if (image === null) {
    throw conflict('IMAGE_NOT_SET', 'The app runs images and none is set: set image (PATCH /app), or deploy one')
  }
  // The same image stays pinned to what its tag meant when it was deployed.
  return base && base.image === image && !isBuilt
    ? repeatedContent(base, configuration)
    : { ...imageContent(image, configuration), fromContentId: base?.id ?? null }
}

/** The outcome of applyImmediately in one environment: an operation, or the reason why there is none. */
export type Applied = { appEnvId: string } & (
  | { operation: Operation; reason: null; warning?: string }
  | { operation: null; reason: string; warning?: never }
)

/**
 * For applyImmediately: applies what is pending in every environment that runs. Stopped and never deployed ones stay as
 * they are, because a change of settings must not start anything.
 */
export async function applyWhereRunning(context: CommandContext, where: Prisma.AppEnvWhereInput): Promise<Applied[]> {
  const { tx } = context
  const rows = await tx.appEnv.findMany({
    where: { ...where, deletedAt: null },
    select: { id: true },
    orderBy: { id: 'asc' },
  })
  const applied: Applied[] = []
  for (const { id } of rows) {
    await tx.$queryRaw`SELECT 1 FROM app_env WHERE id = ${id} FOR UPDATE`
    const appEnv = await loadEverything(tx, id)
    const { intent, message } = await planWhereRunning(context, appEnv)
    // Permission to change settings does not include permission to deploy them.
    if (intent) await context.permitOperation(appEnv)
    applied.push(
      intent
        ? { appEnvId: id, operation: await beginOperation(context, appEnv, intent), reason: null, ...warned(appEnv) }
        : { appEnvId: id, operation: null, reason: message },
    )
  }
  return applied
}

function warned(appEnv: LoadedAppEnv): { warning?: string } {
  const warning = warningOf(appEnv)
  return warning === undefined ? {} : { warning }
}

async function planWhereRunning(context: CommandContext, appEnv: LoadedAppEnv): Promise<PlanWithMessage> {
  if (appEnv.status === 'PENDING') return NEVER_DEPLOYED
  if (!(await isStopped(context.tx, appEnv))) return planChanges(context, appEnv).catch(asReason)
  return { intent: null, message: `The environment is ${howStopped(appEnv)}; start it, then apply the changes` }
}

/** A problem of one environment, such as a build without a source, must not refuse the change for all. */
function asReason(error: unknown): PlanWithMessage {
  if (error instanceof DomainError && error.code === 'CONFLICT') return { intent: null, message: error.message }
  throw error
}

const howStopped = ({ status }: LoadedAppEnv) => (status === 'STOPPED' ? 'stopped' : 'being stopped')

const NEVER_DEPLOYED: PlanWithMessage = {
  intent: null,
  message: 'Nothing was ever deployed here; the first deployment takes the changes along',
}
