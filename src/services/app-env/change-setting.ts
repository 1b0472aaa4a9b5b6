import type { z } from 'zod'
import type { Command, CommandContext, RestWrite } from '../../calls/command.ts'
import type { Example } from '../../calls/examples.ts'
import type { WaitOutcome } from '../../calls/wait-outcome.ts'
import type { AppEnv, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { applyWhereRunning } from '../lifecycle/apply-changes.ts'
import { withWarning } from '../lifecycle/lifecycle-operation.ts'
import { extentOf, requireExtentWithinPlan, type Sized } from '../plan/extent.ts'
import { type AppEnvAddress, type AppEnvTarget, type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { checkRefused } from './type-config.ts'

/** The result of a change of settings, and whether it is being applied. */
export type Changed = {
  appliedImmediately: boolean
  notAppliedReason?: string
  warning?: string
  operationId: string | null
  version: number
}

interface Change {
  data: Prisma.AppEnvUncheckedUpdateInput
  /** Names of the changed settings; never a secret. */
  changed: string[]
  applyImmediately: boolean
}

/** Stores a change of settings, announces it, and applies what is pending if the caller asked for that. */
export async function changeSettings(context: CommandContext, appEnv: AppEnv, change: Change): Promise<Changed> {
  const { tx } = context
  const { data, changed, applyImmediately } = change
  await tx.appEnv.update({ where: { id: appEnv.id }, data: { ...data, version: { increment: 1 } } })
  context.announce({ type: 'appEnv.updated', appId: appEnv.appId, appEnvId: appEnv.id, payload: { changed } })
  context.auditDetails({ changed, applyImmediately })
  const [applied] = applyImmediately ? await applyWhereRunning(context, { id: appEnv.id }) : []
  const { version } = await tx.appEnv.findUniqueOrThrow({ where: { id: appEnv.id }, select: { version: true } })
  return {
    appliedImmediately: Boolean(applied?.operation),
    ...(applied?.reason ? { notAppliedReason: applied.reason } : {}),
    ...(applied?.warning ? { warning: applied.warning } : {}),
    operationId: applied?.operation?.id ?? null,
    version,
  }
}

/** The answer of a call that waited: changes that could not be deployed are still pending. */
export const withApplication = <Result extends Changed>(result: Result, { isLost, message, appEnv }: WaitOutcome) => ({
  ...result,
  ...(isLost ? { appliedImmediately: false, notAppliedReason: message } : {}),
  version: appEnv.version,
})

/** The answer of PATCH /app-env/… (contract §3). */
export type SettingResult = Changed & {
  success: boolean
  message: string
  appEnv: { appEnvId: string; name: string; status: string; gitBranch?: string | null }
}

type TargetShape = { appEnvId: z.ZodType; envName: z.ZodType; applyImmediately: z.ZodType<boolean> }

interface Setting<Shape extends TargetShape> {
  name: string
  rest: RestWrite
  about: string
  example?: Example
  /** The setting's name in the answer: "The <noun> changed". */
  noun: string
  input: z.ZodObject<Shape>
  modernise?: Command<Shape, AppEnvTarget, SettingResult>['modernise']
  /** What the answer shows of the environment besides id, name and status. */
  shows?(appEnv: AppEnv): { gitBranch: string | null }
  /**
   * Decides the new values; throws when the change is not allowed. Settings that it does not return stay as they are.
   */
  change(
    context: CommandContext,
    appEnv: LoadedAppEnv,
    input: z.output<z.ZodObject<Shape>>,
  ): Promise<Prisma.AppEnvUncheckedUpdateInput>
}

/** One setting of an environment with its own path: command, permission, answer and record follow from it. */
export function settingCommand<Shape extends TargetShape>(
  setting: Setting<Shape>,
): Command<Shape, AppEnvTarget, SettingResult> {
  return {
    name: setting.name,
    rest: setting.rest,
    versioned: true,
    waits: true,
    about: setting.about,
    example: setting.example ?? {},
    input: setting.input,
    ...(setting.modernise ? { modernise: setting.modernise } : {}),
    permission: 'appEnv:change',
    target: ({ tx }, input) => lockAppEnv(tx, input as AppEnvAddress),
    async execute(context, input, { appEnv }) {
      checkRefused(appEnv.app, input)
      const data = await setting.change(context, appEnv, input)
      const { applyImmediately, appEnvId: _id, envName: _name, ...sent } = input as Record<string, unknown>
      const changed = Object.keys(sent)
      const application = await changeSettings(context, appEnv, {
        data,
        changed,
        applyImmediately: applyImmediately === true,
      })
      const present = await context.tx.appEnv.findUniqueOrThrow({ where: { id: appEnv.id } })
      return {
        success: true,
        message: withWarning(
          `The ${setting.noun} changed${application.appliedImmediately ? ', and is being applied' : ''}`,
          application.warning,
        ),
        appEnv: { appEnvId: appEnv.id, name: present.name, status: present.status, ...setting.shows?.(present) },
        ...application,
      }
    },
    async refresh(_tools, result, [outcome]) {
      const { isLost, message, appEnv } = outcome
      return {
        ...withApplication(result, outcome),
        success: !isLost,
        message: withWarning(`The ${setting.noun} changed. ${message}`, result.warning),
        appEnv: { ...result.appEnv, status: appEnv.status },
      }
    },
  }
}

/** Throws FORBIDDEN when a setting asks for more than the plan allows, and than is configured already. */
export function requireSettingWithinPlan(appEnv: LoadedAppEnv, change: Partial<Sized>): void {
  const { app, account, containers, autoScaling, zClouds, cpu } = appEnv
  const typeConfig = appEnv.typeConfig ?? app.typeConfig
  const present: Sized = { containers, autoScaling, typeConfig, zClouds, cpu }
  requireExtentWithinPlan(account.plan, extentOf(app, { ...present, ...change }), extentOf(app, present))
}
