import type { Operation, Prisma } from '../../database/generated/prisma/client.ts'
import { conflict } from '../../domain/errors.ts'
import type { PendingChange } from '../../domain/pending-changes.ts'
import { configurationOf, pendingChangesOf } from '../app-env/configured.ts'
import { type LoadedAppEnv, withEverything } from '../app-env/load-app-env.ts'
import type { CommandContext } from '../command.ts'
import { beginOperation } from './begin-operation.ts'
import { nextBuild } from './build.ts'
import { lifecycleOperation, type Plan } from './lifecycle-operation.ts'
import { imageContent, type NewContent, repeatedContent } from './new-content.ts'
import { isStopped } from './open-operation.ts'

export const applyChanges = lifecycleOperation({
  name: 'applyChanges',
  about: 'Apply the pending changes of an environment: build, deploy or scale, as they need.',
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

type ToldPlan = Plan & { message: string }

async function planChanges(context: CommandContext, appEnv: LoadedAppEnv): Promise<ToldPlan> {
  const changes = pendingChangesOf(appEnv, context.vault)
  if (changes.length === 0) return { intent: null, message: 'There is nothing to apply: no changes are pending' }
  if (changes.some((change) => change.kind === 'BUILD')) {
    const content = await nextBuild(context, appEnv, false)
    context.note({ changes: changes.map((change) => change.field) })
    return { intent: { kind: 'APPLY_CHANGES', content }, message: `Building the changes: ${fieldsOf(changes)}` }
  }
  context.note({ changes: changes.map((change) => change.field) })
  const needsDeployment = changes.some((change) => change.kind === 'DEPLOY')
  if (!needsDeployment) return { intent: { kind: 'APPLY_CHANGES' }, message: `Scaling: ${fieldsOf(changes)}` }
  const content = await nextContent(context, appEnv)
  return { intent: { kind: 'APPLY_CHANGES', content }, message: `Deploying the changes: ${fieldsOf(changes)}` }
}

const fieldsOf = (changes: PendingChange[]) => changes.map((change) => change.field).join(', ')

/** Builds on the version that is on its way, if one is: applying a variable must not undo a deployment. */
async function nextContent({ tx }: CommandContext, appEnv: LoadedAppEnv): Promise<NewContent> {
  const onItsWay = await tx.content.findFirst({
    where: { appEnvId: appEnv.id, status: { in: ['QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING'] } },
    orderBy: { version: 'desc' },
  })
  const base = onItsWay ?? appEnv.currentContent
  const configuration = configurationOf(appEnv)
  // One that is being built is built all the same, with what it is to run with from now on.
  if (base && appEnv.pendingImage === null) return repeatedContent(base, configuration)
  const image = appEnv.pendingImage ?? ''
  return base?.image === image
    ? repeatedContent(base, configuration)
    : { ...imageContent(image, configuration), fromContentId: base?.id ?? null }
}

/** What became of applyImmediately in one environment: an operation, or a reason why there is none. */
export type Applied = { appEnvId: string } & (
  | { operation: Operation; reason: null }
  | { operation: null; reason: string }
)

/**
 * For applyImmediately: applies what is pending in every environment that runs. Stopped and never deployed
 * ones are left as they are, because a change of settings must not start anything.
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
    const appEnv = await tx.appEnv.findUniqueOrThrow({ where: { id }, include: withEverything })
    const { intent, message } = await planWhereRunning(context, appEnv)
    applied.push(
      intent
        ? { appEnvId: id, operation: await beginOperation(context, appEnv, intent), reason: null }
        : { appEnvId: id, operation: null, reason: message },
    )
  }
  return applied
}

async function planWhereRunning(context: CommandContext, appEnv: LoadedAppEnv): Promise<ToldPlan> {
  if (appEnv.status === 'PENDING') return NEVER_DEPLOYED
  if (!(await isStopped(context.tx, appEnv))) return planChanges(context, appEnv)
  return { intent: null, message: `The environment is ${howStopped(appEnv)}; start it, then apply the changes` }
}

const howStopped = ({ status }: LoadedAppEnv) => (status === 'STOPPED' ? 'stopped' : 'being stopped')

const NEVER_DEPLOYED: ToldPlan = {
  intent: null,
  message: 'Nothing was ever deployed here; the first deployment takes the changes along',
}
