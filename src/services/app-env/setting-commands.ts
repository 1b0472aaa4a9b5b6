import { getAppType } from '../../app-types/app-types.ts'
import { autoscales, engineOf, isProbed, isScaledByRequests } from '../../app-types/behaviours.ts'
import { engineProblems } from '../../app-types/engines/engine-problems.ts'
import type { CommandContext } from '../../calls/command.ts'
import { conflict, type FieldProblem, invalidField, invalidInput } from '../../domain/errors.ts'
import type { AppEnvHealthCheck } from '../../domain/health-check.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { changedHealthCheck, requireFitting } from '../health-check/app-env-health-check.ts'
import { followHealthCheck } from '../health-check/follow-health-check.ts'
import { beyondPlan, requireWithinPlan } from '../plan/plan-limits.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { type LoadedAppEnv, requireNoPullRequest } from '../targets/load-app-env.ts'
import { MAX_DISK_MB } from '../volume/volume-input.ts'
import { requireAccountRoom } from './account-limits.ts'
import { requireSettingWithinPlan, settingCommand } from './change-setting.ts'
import { changedBranchAnswer, changedSettingAnswer } from './setting-fields.ts'
import {
  branchInput,
  containerSize,
  healthcheckInput,
  nameInput,
  resourcesInput,
  scalingInput,
} from './setting-input.ts'

export const changeResources = settingCommand({
  name: 'changeResources',
  rest: { method: 'PATCH', path: '/app-env/resources', answer: changedSettingAnswer },
  about: 'Change the size of an environment’s containers: zClouds, or cpu and memory; and of its volume.',
  example: {
    request: { zClouds: 2, applyImmediately: true },
    answer: acceptedExample('The size of the containers changed, and is being applied'),
  },
  noun: 'size of the containers',
  input: resourcesInput,
  async change({ tx }, appEnv, { zClouds, cpu, memory, disk }) {
    const problems: FieldProblem[] = []
    const size = containerSize({ zClouds, cpu, memory }, problems)
    if (disk !== undefined && !appEnv.volume)
      problems.push({ field: 'disk', message: 'is the size of a volume, and there is none' })
    const engine = engineOf(appEnv.app, appEnv.presetVersion)
    if (engine) problems.push(...engineProblems(engine, { disk }))
    else if (disk !== undefined && disk > MAX_DISK_MB)
      problems.push({ field: 'disk', message: `must be at most ${MAX_DISK_MB}` })
    if (problems.length > 0) throw invalidInput(problems)
    requireSettingWithinPlan(appEnv, { zClouds: size?.zClouds ?? appEnv.zClouds, cpu: size?.cpu ?? null })
    if (disk !== undefined && appEnv.volume)
      await tx.volume.update({ where: { id: appEnv.volume.id }, data: { diskMb: disk, version: { increment: 1 } } })
    return size ?? {}
  },
})

export const changeScaling = settingCommand({
  name: 'changeScaling',
  rest: { method: 'PATCH', path: '/app-env/scaling', answer: changedSettingAnswer },
  about: 'Change the number of containers, or how the number follows the load.',
  example: { request: { autoScaling: { enabled: true, min: 1, max: 3, cpuPercent: 70 }, applyImmediately: true } },
  noun: 'scaling',
  input: scalingInput,
  async change(context, appEnv, { containers, autoScaling }) {
    const { plan } = appEnv.account
    const type = getAppType(appEnv.app.type)
    if (containers !== undefined && isScaledByRequests(appEnv.app))
      throw invalidField('containers', `is decided by requests for ${type.title} apps: set ${type.config?.field}`)
    const engine = engineOf(appEnv.app, appEnv.presetVersion)
    const problems = engine ? engineProblems(engine, { containers }) : []
    if (problems.length > 0) throw invalidInput(problems)
    requireSettingWithinPlan(appEnv, {
      containers: containers ?? appEnv.containers,
      autoScaling: autoScaling === undefined ? appEnv.autoScaling : autoScaling,
    })
    // Also while it is switched off: it would be refused when it is switched on.
    if (autoScaling) requireWithinPlan(plan, 'maxContainers', { field: 'autoScaling.max', count: autoScaling.max })
    if (autoScaling?.enabled && !(plan.autoscalingIncluded && appEnv.account.allowAutoScaling))
      throw beyondPlan(
        'autoScaling.enabled',
        `The plan ${plan.name} does not include autoscaling (autoscalingIncluded), or the account does not allow it`,
      )
    if (autoScaling && !autoscales(type)) throw invalidField('autoScaling', `is not used by ${type.title} apps`)
    await requireAccountRoom(context, {
      accountId: appEnv.accountId,
      appEnvId: appEnv.id,
      containers: Math.max(containers ?? appEnv.containers, autoScaling?.enabled ? autoScaling.max : 0),
    })
    return {
      ...(containers === undefined ? {} : { containers }),
      ...(autoScaling === undefined ? {} : { autoScaling: autoScaling ?? Prisma.DbNull }),
    }
  },
})

export const changeBranch = settingCommand({
  name: 'changeBranch',
  rest: { method: 'PATCH', path: '/app-env/branch', answer: changedBranchAnswer },
  about: 'Change the git branch that an environment is built from.',
  example: { request: { gitBranch: 'main', applyImmediately: true } },
  noun: 'branch',
  input: branchInput,
  shows: ({ gitBranch }) => ({ gitBranch }),
  async change(_context, appEnv, { gitBranch }) {
    requireNoPullRequest(appEnv)
    return { gitBranch }
  },
})

export const renameAppEnv = settingCommand({
  name: 'renameAppEnv',
  rest: { method: 'PATCH', path: '/app-env/name', answer: changedSettingAnswer },
  about: 'Rename an environment. Its slug, host and CLI names stay, so that no address changes.',
  example: { request: { name: 'live' } },
  noun: 'name',
  input: nameInput,
  async change(context, appEnv, { name }) {
    await requireFreeName(context, appEnv, name)
    return { name }
  },
})

/** Throws NAME_TAKEN when another environment of the app has the name. */
export async function requireFreeName({ tx }: CommandContext, appEnv: LoadedAppEnv, name: string): Promise<void> {
  const clash = await tx.appEnv.findFirst({
    where: { appId: appEnv.appId, name, deletedAt: null, id: { not: appEnv.id } },
  })
  if (clash) throw conflict('NAME_TAKEN', `The app already has an environment "${name}"`)
}

/** The names that the fields have on the app, which older clients send here too. There, empty means none. */
const OLDER_NAMES = { healthCheckPath: 'path', healthCheckPort: 'port', healthCheckHeaders: 'headers' } as const

function withShortNames(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Object.entries(sent).map(([name, value]) => {
    const shortName = OLDER_NAMES[name as keyof typeof OLDER_NAMES] as string | undefined
    // Sent under both names, the older one stays unknown, and is refused.
    return shortName && !(shortName in sent) ? [shortName, value === '' ? null : value] : [name, value]
  })
  return Object.fromEntries(named)
}

export const changeHealthcheck = settingCommand({
  name: 'changeHealthcheck',
  rest: { method: 'PATCH', path: '/app-env/healthcheck', answer: changedSettingAnswer },
  about: 'Change the health check and the probes of an environment: startup, readiness and liveness.',
  example: { request: { path: '/healthz', readiness: { periodSeconds: 5, failureThreshold: 3 } } },
  noun: 'health check',
  input: healthcheckInput,
  modernise: withShortNames,
  async change(context, appEnv, { appEnvId: _id, envName: _name, applyImmediately: _apply, ...sent }) {
    if (Object.keys(sent).length === 0) throw invalidField('path', 'is required, unless something else is sent')
    const before = (appEnv.healthCheck as AppEnvHealthCheck | null) ?? {}
    const healthCheck = changedHealthCheck(before, sent)
    const type = getAppType(appEnv.app.type)
    requireFitting(appEnv.app, healthCheck)
    if (!isProbed(type)) throw conflict('NOT_PROBED', `A ${type.title} has no health check: nothing listens`)
    await followHealthCheck(context, [{ ...appEnv, healthCheck: healthCheck as object }])
    return { healthCheck: Object.keys(healthCheck).length > 0 ? (healthCheck as object) : Prisma.DbNull }
  },
})
