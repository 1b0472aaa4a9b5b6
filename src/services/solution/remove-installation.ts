import { z } from 'zod'
import { type CommandContext, command, type Target } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { deleteApp } from '../app/delete-app.ts'
import { lockApp } from '../targets/load-app.ts'
import { announceProgress } from './advance.ts'
import { type LoadedInstallation, lockSolutionInstallation } from './load-installation.ts'

export const removeInstallation = command({
  name: 'removeInstallation',
  rest: { method: 'DELETE', path: '/solutions/installation', answer: messageAnswer },
  versioned: true,
  waits: true,
  about: 'Remove an installed solution: delete its apps, what depends on others first. Volumes are kept.',
  dangerous: true,
  input: z.strictObject({ installationId: id('installation') }),
  permission: 'solution:remove',
  async target({ tx }, { installationId }): Promise<Target & { installation: LoadedInstallation }> {
    const installation = await lockSolutionInstallation(tx, installationId)
    const { id: found, accountId, version } = installation
    return { type: 'installation', id: found, accountId, version, installation }
  },
  async execute(context, _input, { installation }) {
    const { tx } = context
    const { id: installationId, solutionSlug, appName, components } = installation
    const operationIds: string[] = []
    for (const { appId } of [...components].reverse()) operationIds.push(...(await deleteIfThere(context, appId)))
    await tx.solutionInstallation.update({
      where: { id: installationId },
      data: { deletedAt: await databaseTime(tx), version: { increment: 1 } },
    })
    announceProgress(context, installationId, 'REMOVED', [])
    context.created(operationIds)
    context.auditDetails({ solutionSlug, appName, components: components.map(({ key }) => key), operationIds })
    return { message: `Installation "${appName}" is removed. Its volumes are kept until DELETE /volume`, operationIds }
  },
  refresh: async (_tools, result, outcomes) => {
    const left = outcomes.filter(({ status }) => status !== 'SUCCEEDED')
    const sentences = left.map(({ message, appEnv }) => `${appEnv.cliEnvName}: ${message}`)
    return { ...result, message: [result.message, ...sentences].join('. ') }
  },
})

/** The app may have been deleted by itself. */
async function deleteIfThere(outer: CommandContext, appId: string): Promise<string[]> {
  const present = await outer.tx.app.findFirst({ where: { id: appId, deletedAt: null }, select: { id: true } })
  if (!present) return []
  // The audit entry is about the installation.
  const context: CommandContext = { ...outer, auditDetails() {} }
  const { operationIds } = await deleteApp.execute(context, { appId }, await lockApp(outer.tx, appId))
  return operationIds
}
