import { getAppType } from '../../app-types/app-types.ts'
import { acceptsImage, engineOf, isRouted } from '../../app-types/behaviours.ts'
import { typeConfigIn } from '../../app-types/type-config.ts'
import type { CommandContext } from '../../calls/command.ts'
import { regionOrOnly } from '../../calls/known-regions.ts'
import { conflict, type FieldProblem, invalidField, invalidInput } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { cliEnvNameOf, freeSlug, slugOf } from '../../domain/names.ts'
import type { App, Operation, Region } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import { addAutomaticHosts, automaticHosts } from '../../storage/references/automatic-hosts.ts'
import { configurationOf, configuredHealthCheck } from '../configuration/configured.ts'
import { changeExternalAccess } from '../external-access/change-external-access.ts'
import { requireFitting, setValues } from '../health-check/app-env-health-check.ts'
import { changeAppEnvLabels } from '../label/change-labels.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { nextBuild } from '../lifecycle/build.ts'
import { isCoolingDown, lockHost } from '../lifecycle/cooling-hosts.ts'
import { imageContent } from '../lifecycle/new-content.ts'
import { extentOf, requireExtentWithinPlan } from '../plan/extent.ts'
import { requireWithinPlan } from '../plan/plan-limits.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import { volumeChange } from '../volume/volume-change.ts'
import { requireSeparatePaths } from '../volume/volume-input.ts'
import { requireAccountRoom } from './account-limits.ts'
import type { CreateAppEnvInput } from './app-env-input.ts'
import { createService } from './create-service.ts'
import { containerSize } from './setting-input.ts'
import { checkTypeFields } from './type-config.ts'
import { replaceVariables } from './variables.ts'

/** What an environment is created from. Without `deploy`, it is deployed where there is something to deploy. */
export type NewAppEnv = Omit<CreateAppEnvInput, 'accountId' | 'appId' | 'deploy'> & { deploy?: boolean | undefined }

type CreatedAppEnv = { appEnvId: string; operationId: string | null }

type AccountWithPlan = Awaited<ReturnType<typeof accountOf>>

/** Creates an environment of an app that the transaction has locked. */
export async function createAppEnvOf(context: CommandContext, app: App, input: NewAppEnv): Promise<CreatedAppEnv> {
  const { tx } = context
  const account = await accountOf(context, app.accountId)
  const region = await regionOrOnly(tx, input.region)
  const type = getAppType(app.type)
  checkTypeFields(type, app, input)
  if (input.healthCheck) requireFitting(app, setValues(input.healthCheck), 'healthCheck.')
  const buildsFromGit = app.gitRepo !== null && !app.useImage
  if (buildsFromGit && !input.branch) throw invalidField('branch', 'is required when the app builds from GitHub')
  type.checkPlan(account.plan)
  type.checkAccount(account)
  type.checkRegion(region)
  const typeConfig = typeConfigIn(input) ?? app.typeConfig
  const size = sizeOf(input)
  requireExtentWithinPlan(account.plan, extentOf(app, { ...input, ...size, typeConfig, autoScaling: null }), null)
  await requireAccountRoom(context, { accountId: account.id, appEnvId: null, containers: input.containers })
  const names = await chooseNames(context, account, app, input.name, region)
  const appEnvId = newId('env')
  await tx.appEnv.create({
    data: { id: appEnvId, accountId: account.id, appId: app.id, ...names, ...size, ...recordOf(input, region) },
  })
  const { appEnv } = await lockAppEnv(tx, { appEnvId })
  await replaceVariables(context, appEnv, input.envVars ?? [])
  await changeAppEnvLabels(tx, appEnv, input.labels)
  await changeExternalAccess(context, appEnv, input.externalAccess)
  const volume = input.volume ?? (app.volumePath === null ? undefined : { path: app.volumePath })
  requireSeparatePaths(input.containerSettings, volume?.path)
  if (volume) await tx.appEnv.update({ where: { id: appEnvId }, data: await volumeChange(context, appEnv, volume) })
  if (isRouted(app, { healthCheck: configuredHealthCheck(appEnv) }))
    await addAutomaticHosts(tx, appEnvId, automaticHosts(context.config, names.cliEnvName, region))
  context.announce({ type: 'appEnv.created', appId: app.id, appEnvId, payload: { ...names, status: 'PENDING' } })
  context.created(appEnvId)
  context.auditDetails({
    appEnvId,
    region: region.code,
    variables: input.envVars?.map((variable) => variable.name) ?? [],
  })
  const operation = await deployFirst(context, appEnvId, app, input)
  return { appEnvId, operationId: operation?.id ?? null }
}

/** A managed service needs nothing else, so it is deployed at once. Anything else is deployed as asked. */
async function deployFirst(
  context: CommandContext,
  appEnvId: string,
  app: App,
  input: NewAppEnv,
): Promise<Operation | null> {
  const engine = engineOf(app)
  if (engine) return createService(context, appEnvId, engine, input)
  const image = acceptsImage(app) ? app.image : null
  // Source that is uploaded comes later.
  const hasSource = !app.useImage && app.gitRepo !== null && !app.isCliDeployment
  if (!(input.deploy ?? (image !== null || hasSource))) return null
  if (app.useImage && image === null) throw invalidField('deploy', 'needs an image, and none is set on the app')
  const { appEnv } = await lockAppEnv(context.tx, { appEnvId })
  await context.permitOperation(appEnv)
  if (image === null)
    return beginOperation(context, appEnv, { kind: 'BUILD', content: await nextBuild(context, appEnv, false) })
  return beginOperation(context, appEnv, {
    kind: 'DEPLOY_IMAGE',
    content: imageContent(image, configurationOf(appEnv)),
  })
}

const accountOf = ({ tx }: CommandContext, accountId: string) =>
  tx.account.findUniqueOrThrow({ where: { id: accountId }, include: { plan: true } })

/**
 * CLI names are unique across the installation, and so are hosts. A host that another account had a short time ago is
 * not free: its clients would reach another account's app.
 */
async function chooseNames(
  context: CommandContext,
  account: AccountWithPlan,
  app: { id: string; slug: string },
  name: string,
  region: Region,
) {
  const { tx } = context
  const siblings = await tx.appEnv.findMany({
    where: { appId: app.id, deletedAt: null },
    select: { slug: true, name: true },
  })
  requireWithinPlan(account.plan, 'maxAppEnvs', { field: 'appId', count: siblings.length + 1 })
  if (siblings.some((sibling) => sibling.name === name))
    throw conflict('NAME_TAKEN', `The app already has an environment "${name}"`)
  const taken = new Set(siblings.map((sibling) => sibling.slug))
  for (;;) {
    const slug = freeSlug(slugOf(name), taken)
    const cliEnvName = cliEnvNameOf(account.slug, app.slug, slug)
    const hosts = automaticHosts(context.config, cliEnvName, region)
    for (const host of hosts) await lockHost(tx, host)
    const [clash] = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM app_env WHERE cli_env_name = ${cliEnvName} AND deleted_at IS NULL
      UNION ALL SELECT 1 FROM host WHERE host = ANY(${hosts})`
    if (!clash && !(await isAnyCoolingDown(context, account.id, hosts)))
      return { name, slug, cliEnvName, deploymentName: cliEnvName }
    taken.add(slug)
  }
}

async function isAnyCoolingDown(context: CommandContext, accountId: string, hosts: string[]): Promise<boolean> {
  for (const host of hosts) if (await isCoolingDown(context, accountId, host)) return true
  return false
}

/** One zCloud, unless something else is sent. */
function sizeOf(input: NewAppEnv) {
  const problems: FieldProblem[] = []
  const size = containerSize(input, problems) ?? { zClouds: 1, cpu: null, memoryMb: null }
  if (problems.length > 0) throw invalidInput(problems)
  return size
}

const recordOf = (input: NewAppEnv, region: Region) => ({
  regionCode: region.code,
  gitBranch: input.branch ?? null,
  containers: input.containers,
  startupConfig: jsonOrNull(input.startupConfig),
  releaseCommand: jsonOrNull(input.releaseCommand),
  containerSettings: jsonOrNull(input.containerSettings),
  healthCheck: jsonOrNull(input.healthCheck && setValues(input.healthCheck)),
  preventDestroy: input.preventDestroy,
  typeConfig: jsonOrNull(typeConfigIn(input)),
})
