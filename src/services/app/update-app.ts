import { withTodaysPreset } from '../../app-types/older-presets.ts'
import { requireConfigOfApps } from '../../app-types/type-config.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { changedBuildResources } from '../../domain/build-resources.ts'
import type { App, AppEnv, Content } from '../../storage/database/generated/prisma/client.ts'
import { requireOwnInstallation } from '../git/git-installation.ts'
import { followHealthCheck } from '../health-check/follow-health-check.ts'
import { changeAppLabels } from '../label/change-labels.ts'
import { applyWhereRunning } from '../lifecycle/apply-changes.ts'
import { requireBuildResourcesWithinPlan } from '../plan/build-resources.ts'
import { lockApp } from '../targets/load-app.ts'
import { type AppChanges, changedFields, changesOf } from './app-changes.ts'
import { updatedAppAnswer } from './app-fields.ts'
import { type UpdateAppInput, updateAppInput } from './app-input.ts'
import { checkUpdate, requireCredential } from './app-rules.ts'
import { changeVolumes, volumePathIn } from './app-volume.ts'
import { moveRepository } from './change-repository.ts'

export const updateApp = command({
  name: 'updateApp',
  rest: { method: 'PATCH', path: '/app', answer: updatedAppAnswer },
  versioned: true,
  waits: true,
  about:
    'Change an app. Its environments keep running as they are until the changes are applied. A new name leaves slug, hosts and CLI names as they are. The next build is of the repository that is set then; a build that is under way goes on with its own.',
  example: {
    request: { port: 3000, healthCheckPath: '/healthz', applyImmediately: true },
    answer: { port: 3000, environmentsAffected: 1 },
  },
  input: updateAppInput,
  modernise(sent) {
    requireConfigOfApps(sent)
    return withTodaysPreset(sent)
  },
  permission: 'app:change',
  target: ({ tx }, { appId }) => lockApp(tx, appId),
  async execute(context, input, { app }) {
    checkUpdate(input, app)
    const { tx } = context
    await requireCredential(tx, app.accountId, 'imagePullAccountSecretId', input.imagePullAccountSecretId)
    await requireCredential(tx, app.accountId, 'buildPullAccountSecretId', input.buildPullAccountSecretId)
    await requireBuildsWithinPlan(context, app, input.buildResources)
    await requireOwnInstallation(context, app.accountId, input.gitInstallationId)
    const changes = changesOf(input, app)
    const pushes = await moveRepository(context, app, changes)
    const volumePath = volumePathIn(input, app)
    const remounted = volumePath === undefined ? [] : await changeVolumes(context, app, volumePath)
    const appEnvs = await tx.appEnv.findMany({
      where: { appId: app.id, deletedAt: null },
      include: { currentContent: true },
    })
    const reimaged = input.image === undefined ? [] : appEnvs.filter((appEnv) => imageOf(appEnv, app) !== input.image)
    const isRelabelled = await changeAppLabels(tx, app, input.labels)
    const changed = [
      ...new Set([
        ...changedFields(changes),
        ...(reimaged.length > 0 ? ['image'] : []),
        ...(isRelabelled ? ['labels'] : []),
      ]),
    ]
    const updated = changed.length > 0 ? await write(context, app, changes, input.image) : app
    if (changed.some((field) => field.startsWith('healthCheck')))
      await followHealthCheck(
        context,
        appEnvs.map((appEnv) => ({ ...appEnv, app: updated })),
      )
    if (changed.length > 0) context.announce({ type: 'app.updated', appId: app.id, payload: { changed } })
    const applied = input.applyImmediately ? await applyWhereRunning(context, { appId: app.id }) : []
    const affected = new Set([
      ...(isForEach(changes) ? appEnvs : reimaged).map(({ id }) => id),
      ...remounted,
      ...applied.flatMap(({ appEnvId, operation }) => (operation ? [appEnvId] : [])),
    ])
    context.auditDetails({ changed, environmentsAffected: affected.size, applyImmediately: input.applyImmediately })
    const notApplied = applied.flatMap(({ appEnvId, reason }) => (reason ? [{ appEnvId, reason }] : []))
    const lost = applied.find(({ warning }) => warning !== undefined)?.warning
    const warning = [pushes, lost].filter(Boolean).join('. ')
    return {
      ...answerOf(updated),
      environmentsAffected: affected.size,
      ...(notApplied.length > 0 ? { notApplied } : {}),
      ...(warning === '' ? {} : { warning }),
      operationIds: applied.flatMap(({ operation }) => operation?.id ?? []),
    }
  },
  async refresh(_tools, result, outcomes) {
    const lost = outcomes.filter(({ isLost }) => isLost)
    const failed = lost.map(({ appEnv, message }) => ({ appEnvId: appEnv.id, reason: message }))
    return lost.length > 0 ? { ...result, notApplied: [...(result.notApplied ?? []), ...failed] } : result
  },
})

async function requireBuildsWithinPlan(
  { tx, config }: CommandContext,
  { accountId, buildResources }: App,
  sent: UpdateAppInput['buildResources'],
): Promise<void> {
  if (sent === undefined) return
  const { plan } = await tx.account.findUniqueOrThrow({ where: { id: accountId }, select: { plan: true } })
  requireBuildResourcesWithinPlan(changedBuildResources(buildResources, sent), buildResources, { plan, config })
}

/**
 * Every environment gets what is set on the app, apart from volumes, of which each has its own, and from its name and the limits of
 * builds, which change nothing that runs.
 */
const isForEach = ({ volumePath: _volumePath, buildResources: _build, name: _name, ...others }: AppChanges): boolean =>
  Object.keys(others).length > 0

async function write({ tx }: CommandContext, app: App, changes: AppChanges, image: string | undefined): Promise<App> {
  // An app that switches to its source drops an image that was set and never applied.
  const pending = changes.useImage === false ? { pendingImage: null } : image ? { pendingImage: image } : null
  if (pending) await tx.appEnv.updateMany({ where: { appId: app.id, deletedAt: null }, data: pending })
  return tx.app.update({ where: { id: app.id }, data: { ...changes, version: { increment: 1 } } })
}

/** What the environment would run next; unknown while another version may be in progress. */
function imageOf(appEnv: AppEnv & { currentContent: Content | null }, app: App): string | null {
  if (appEnv.pendingImage !== null || appEnv.status === 'UPDATING') return appEnv.pendingImage
  return appEnv.currentContent?.image ?? app.image
}

const answerOf = (app: App) => ({ appId: app.id, name: app.name, dockerPreset: app.dockerPreset, port: app.port })
