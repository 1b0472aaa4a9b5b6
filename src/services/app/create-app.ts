import { withTodaysPreset } from '../../app-types/older-presets.ts'
import { defaultDockerfilePath, engineOfPreset } from '../../app-types/presets.ts'
import { typeConfigIn } from '../../app-types/type-config.ts'
import { typeNamed, withTodaysType } from '../../app-types/wire-names.ts'
import { accountOrCurrent, permit } from '../../calls/caller.ts'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { changedBuildResources } from '../../domain/build-resources.ts'
import { DomainError, notFound, withinField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { freeSlug, slugOf } from '../../domain/names.ts'
import type { Account, App, Plan } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import type { FirstAppEnv } from '../app-env/app-env-input.ts'
import { createAppEnvOf } from '../app-env/new-app-env.ts'
import { requireOwnInstallation } from '../git/git-installation.ts'
import { healthCheckColumns, sentHealthCheck } from '../health-check/app-health-check.ts'
import { changeAppLabels } from '../label/change-labels.ts'
import { requireBuildResourcesWithinPlan } from '../plan/build-resources.ts'
import { requireScaleWithinPlan } from '../plan/extent.ts'
import { requireWithinPlan } from '../plan/plan-limits.ts'
import { createdAppAnswer } from './app-fields.ts'
import { type CreateAppInput, createAppInput } from './app-input.ts'
import { checkCreation, requireCredential } from './app-rules.ts'

type CreatedApp = { appId: string; appEnvId?: string; operationId: string | null }

type AccountTarget = Target & { account: Account & { plan: Plan } }

export const createApp = command({
  name: 'createApp',
  // The seed's letter (§2.1).
  rest: { method: 'POST', path: '/app', answer: createdAppAnswer, required: ['accountId'] },
  waits: true,
  about:
    'Create an app, with its first environment where you send one. It runs nothing until an environment of it is deployed.',
  example: { request: { name: 'Shop', port: 80, useImage: true, image: 'nginx:alpine', healthCheckPath: '/healthz' } },
  input: createAppInput,
  modernise: (sent) => withTodaysType(withTodaysPreset(sent)),
  permission: 'app:change',
  async target({ tx, caller }, { accountId: given }): Promise<AccountTarget> {
    const accountId = accountOrCurrent(caller, given)
    // The lock makes it safe to count against the plan and to choose a free slug.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`
    const account = await tx.account.findUnique({ where: { id: accountId }, include: { plan: true } })
    if (!account) throw notFound('account', accountId)
    // The audit entry is about the new app.
    return { type: 'app', id: null, accountId: account.id, account }
  },
  async execute(context, input, { account }): Promise<CreatedApp> {
    const { preset } = checkCreation(input)
    const type = typeNamed(preset)
    type.checkPlan(account.plan)
    type.checkAccount(account)
    requireScaleWithinPlan({ type: type.name }, typeConfigIn(input), account.plan)
    const { tx, config } = context
    requireBuildResourcesWithinPlan(input.buildResources, null, { plan: account.plan, config })
    await requireOwnInstallation(context, account.id, input.gitInstallationId)
    const appId = newId('app')
    const app = await tx.app.create({
      data: {
        id: appId,
        slug: await chooseSlug(context, account, input.name),
        type: type.name,
        accountId: account.id,
        ...recordOf(input, preset),
      },
    })
    await requireCredential(tx, account.id, 'imagePullAccountSecretId', input.imagePullAccountSecretId)
    await requireCredential(tx, account.id, 'buildPullAccountSecretId', input.buildPullAccountSecretId)
    await changeAppLabels(tx, { id: appId, accountId: account.id }, input.labels)
    context.announce({ type: 'app.created', appId, payload: { name: input.name, dockerPreset: preset } })
    context.auditDetails({ name: input.name, dockerPreset: preset, useImage: input.useImage ?? false })
    const created = input.appEnv ? await createFirstAppEnv(context, app, input.appEnv) : null
    return { appId, operationId: null, ...created }
  },
})

/** Problems of the environment are named as they were sent. */
async function createFirstAppEnv(context: CommandContext, app: App, input: FirstAppEnv) {
  permit(context.caller, 'appEnv:change', { accountId: app.accountId })
  try {
    return await createAppEnvOf(context, app, input)
  } catch (error) {
    throw error instanceof DomainError ? withinField('appEnv', error) : error
  }
}

async function chooseSlug({ tx }: CommandContext, account: AccountTarget['account'], name: string): Promise<string> {
  const apps = await tx.app.findMany({ where: { accountId: account.id, deletedAt: null }, select: { slug: true } })
  requireWithinPlan(account.plan, 'maxApps', { field: 'accountId', count: apps.length + 1 })
  return freeSlug(slugOf(name), new Set(apps.map((app) => app.slug)))
}

function recordOf(input: CreateAppInput, preset: string) {
  const dockerfilePath = input.customDockerfileContent ? null : defaultDockerfilePath(preset)
  return {
    name: input.name,
    dockerPreset: preset,
    dockerPresetVersion: input.dockerPresetVersion ?? null,
    builder: input.builder ?? 'DOCKER',
    port: input.port ?? engineOfPreset(preset)?.port ?? null,
    useImage: input.useImage ?? false,
    image: input.image ?? null,
    gitProvider: input.gitProvider ?? (input.gitRepo ? 'GITHUB' : null),
    gitNamespace: input.gitNamespace ?? null,
    gitRepo: input.gitRepo ?? null,
    gitInstallationId: input.gitInstallationId ?? null,
    isCliDeployment: input.isCliDeployment ?? false,
    contextDir: input.contextDir ?? './',
    dockerfilePath: input.dockerfilePath ?? dockerfilePath,
    customDockerfileContent: input.customDockerfileContent || null,
    buildArgs: input.buildArgs || null,
    buildTarget: input.buildTarget || null,
    ...healthCheckColumns(sentHealthCheck(typeNamed(preset), input, null).check ?? {}),
    imagePullAccountSecretId: input.imagePullAccountSecretId || null,
    buildPullAccountSecretId: input.buildPullAccountSecretId || null,
    buildResources: jsonOrNull(changedBuildResources(null, input.buildResources ?? null)),
    volumePath: input.volumePath ?? null,
    typeConfig: jsonOrNull(typeConfigIn(input)),
  }
}
