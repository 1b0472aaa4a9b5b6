import { z } from 'zod'
import { engineOf } from '../../app-types/behaviours.ts'
import type { Command, CommandContext } from '../../calls/command.ts'
import type { Example } from '../../calls/examples.ts'
import { appEnvTarget } from '../../calls/input.ts'
import type { Answer } from '../../calls/resource.ts'
import type { WaitOutcomes } from '../../calls/wait-outcome.ts'
import type { Permission } from '../../domain/permissions.ts'
import { lifecycleAnswer } from '../targets/accepted.ts'
import { type AppEnvAddress, type AppEnvTarget, type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import { beginOperation, type Intent } from './begin-operation.ts'

export interface RollbackInfo {
  fromVersion: number
  toVersion: number
  contentId: string
}

/** The seed's answer to every lifecycle call (§2.5), and the operation that both APIs point to. */
export type LifecycleResult = {
  success: boolean
  message: string
  appEnv: { appEnvId: string; name: string; status: string }
  rollbackInfo?: RollbackInfo
  /** The backup that the operation takes, restores or verifies. */
  backupKey?: string
  operationId: string | null
  /** Said with every message. */
  warning?: string
}

/** The decision of a lifecycle call: an intent to record, or no change (with a message that says so). */
export interface Plan {
  intent: Intent | null
  message?: string
  backupKey?: string
  rollbackInfo?: RollbackInfo
}

interface LifecycleOperation<Shape extends z.ZodRawShape> {
  name: string
  /** Of a POST, below /api/public/v1. */
  path: string
  /** Of REST, where it has more than every lifecycle call. */
  answer?: Answer
  about: string
  example?: Example
  /** The message of an accepted call. */
  accepted: string
  dangerous?: boolean
  /** Instead of `appEnv:operate`. */
  permission?: Permission
  input: Shape
  /** Decides, and throws when the state does not allow it; writes nothing except its own fields of the environment. */
  plan(context: CommandContext, appEnv: LoadedAppEnv, input: z.output<z.ZodObject<Shape>>): Promise<Plan>
}

/** One file is one operation: its route, mutation, documentation and record follow from this definition. */
export function lifecycleOperation<Shape extends z.ZodRawShape>(
  operation: LifecycleOperation<Shape>,
): Command<typeof appEnvTarget & Shape, AppEnvTarget, LifecycleResult> {
  return {
    name: operation.name,
    rest: {
      method: 'POST',
      path: operation.path,
      answer: operation.answer ?? lifecycleAnswer,
      isLifecycle: true,
    },
    versioned: true,
    waits: true,
    about: operation.about,
    example: operation.example ?? {},
    dangerous: operation.dangerous ?? false,
    input: z.strictObject({ ...appEnvTarget, ...operation.input }),
    permission: operation.permission ?? 'appEnv:operate',
    refresh: withOutcome,
    target: ({ tx }, input) => lockAppEnv(tx, input as AppEnvAddress),
    async execute(context, input, { appEnv }) {
      const { intent, message, rollbackInfo, backupKey } = await operation.plan(
        context,
        appEnv,
        input as z.output<z.ZodObject<Shape>>,
      )
      const begun = intent ? await beginOperation(context, appEnv, intent) : null
      return {
        success: true,
        ...saying(message ?? operation.accepted, begun ? warningOf(appEnv) : undefined),
        appEnv: { appEnvId: appEnv.id, name: appEnv.name, status: begun ? 'UPDATING' : appEnv.status },
        ...(rollbackInfo ? { rollbackInfo } : {}),
        ...(backupKey ? { backupKey } : {}),
        operationId: begun?.id ?? null,
      }
    },
  }
}

/** The answer of a call that waited: the outcome of its operation, instead of what was accepted. */
export async function withOutcome(
  _tools: unknown,
  result: LifecycleResult,
  [{ isLost, message, appEnv }]: WaitOutcomes,
): Promise<LifecycleResult> {
  const words = saying(message, result.warning)
  return { ...result, ...words, success: !isLost, appEnv: { ...result.appEnv, status: appEnv.status } }
}

export const withWarning = (message: string, warning: string | undefined): string =>
  warning === undefined ? message : `${message}. ${warning}`

const saying = (message: string, warning: string | undefined) =>
  warning === undefined ? { message } : { message: withWarning(message, warning), warning }

/** Without a volume, data goes with the container that holds it: each of these operations replaces or removes it. */
export function warningOf({ app, volumeId, status }: LoadedAppEnv): string | undefined {
  const isLost = engineOf(app) && volumeId === null && status !== 'STOPPED' && status !== 'PENDING'
  return isLost ? 'Its data is lost, because it was created with withPersistence false' : undefined
}
