import type { CommandContext } from '../../calls/command.ts'
import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import type { OperationKind } from '../../storage/database/generated/prisma/client.ts'
import { extentOf, requireExtentWithinPlan } from '../plan/extent.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { isStopped } from './open-operation.ts'

interface Coming {
  kind: OperationKind
  content?: { configuration: Configuration }
  contentId?: string | undefined
}

/** Operations after which an environment runs as it is configured, or as a version recorded. */
const BRINGS_ABOUT: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'DEPLOY_IMAGE',
  'BUILD',
  'REDEPLOY',
  'ROLLBACK',
  'START',
  'APPLY_CHANGES',
  'RESTORE',
])

/**
 * Throws FORBIDDEN when an operation would bring about more than the plan allows and than runs already: the plan may have
 * shrunk since the settings were changed or the version was recorded.
 */
export async function requireVersionWithinPlan(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  intent: Coming,
): Promise<void> {
  if (!BRINGS_ABOUT.has(intent.kind)) return
  const next = await nextConfiguration(context, appEnv, intent)
  if (!next) return
  const sized = ({ typeConfig, zClouds }: Configuration, containers: number) =>
    extentOf(appEnv.app, { containers, autoScaling: appEnv.autoScaling, typeConfig, zClouds })
  const runs = !(await isStopped(context.tx, appEnv)) && appEnv.currentContent
  const present = runs ? sized(recordedConfiguration(runs), appEnv.replicasDesired) : null
  requireExtentWithinPlan(appEnv.account.plan, sized(next, appEnv.containers), present)
}

async function nextConfiguration(
  { tx }: CommandContext,
  { currentContent }: LoadedAppEnv,
  { content, contentId }: Coming,
): Promise<Configuration | null> {
  if (content) return content.configuration
  const recorded = contentId ? await tx.content.findUniqueOrThrow({ where: { id: contentId } }) : currentContent
  return recorded ? recordedConfiguration(recorded) : null
}
