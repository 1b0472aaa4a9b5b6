import type { CommandContext } from '../../calls/command.ts'
import type { Account, Plan } from '../../storage/database/generated/prisma/client.ts'
import { advance, recordOperations } from './advance.ts'
import { type CreatedComponent, createComponents, renderNote } from './create-components.ts'
import { declarationOf, type LoadedInstallation, lockSolutionInstallation } from './load-installation.ts'

interface Resumed {
  account: Account & { plan: Plan }
  installation: LoadedInstallation
}

/**
 * Goes on with an incomplete installation: creates what is missing, and deploys what has failed, or never was. One that
 * is complete or going on is left as it is, so that repeats do nothing twice.
 */
export async function resume(context: CommandContext, { account, installation }: Resumed): Promise<string> {
  const { tx } = context
  const { id, appName, regionCode: region } = installation
  if (installation.status !== 'INCOMPLETE') return id
  const installing = { installationId: id, account, appName, region, ...(await declarationOf(context, installation)) }
  const created = await createComponents(context, installing, await presentOf(context, installation))
  await tx.solutionInstallation.update({
    where: { id },
    data: { postInstallNote: await renderNote(context, installing, created) },
  })
  await goOn(context, installation, created)
  return id
}

/** Deploys, in their order, the components that were created just now, have failed, or never were deployed. */
export async function goOn(
  context: CommandContext,
  { id, components }: LoadedInstallation,
  created: readonly CreatedComponent[],
): Promise<void> {
  const { tx } = context
  for (const [position, { key, appId, appEnvId, operationId }] of created.entries()) {
    const before = components.find((one) => one.key === key)
    if (before?.state === 'READY' && before.appEnvId === appEnvId) continue
    const state = operationId === null ? ('PENDING' as const) : ('DEPLOYING' as const)
    const data = { position, appId, appEnvId, operationId, jobRunId: null, state, reason: null, message: null }
    await tx.solutionComponent.upsert({
      where: { installationId_key: { installationId: id, key } },
      create: { installationId: id, key, ...data },
      update: data,
    })
  }
  await tx.solutionInstallation.update({
    where: { id },
    data: { status: 'INSTALLING', finishedAt: null, version: { increment: 1 } },
  })
  recordOperations(context, created, await advance(context, await lockSolutionInstallation(tx, id)))
}

/** What still exists of it: an app or an environment may have been deleted since. */
export async function presentOf({ tx }: CommandContext, { components }: LoadedInstallation) {
  const ids = (key: 'appId' | 'appEnvId') => components.map((one) => one[key])
  const apps = await tx.app.findMany({ where: { id: { in: ids('appId') }, deletedAt: null }, select: { id: true } })
  const appEnvs = await tx.appEnv.findMany({
    where: { id: { in: ids('appEnvId') }, deletedAt: null },
    select: { id: true },
  })
  const known = new Set([...apps, ...appEnvs].map(({ id }) => id))
  return new Map(
    components
      .filter(({ appId }) => known.has(appId))
      .map(({ key, appId, appEnvId }) => [key, { appId, appEnvId: known.has(appEnvId) ? appEnvId : null }]),
  )
}
