import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict } from '../../domain/errors.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { removeAppEnv } from '../lifecycle/remove-app-env.ts'
import { lockApp } from '../targets/load-app.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

export const deleteApp = command({
  name: 'deleteApp',
  rest: { method: 'DELETE', path: '/app', answer: messageAnswer },
  versioned: true,
  waits: true,
  about: 'Delete an app and its environments. Refused while an environment has preventDestroy.',
  example: { answer: { message: 'App "Shop" and its 1 environment(s) are deleted' } },
  dangerous: true,
  input: z.strictObject({ appId: id('app') }),
  permission: 'app:delete',
  target: ({ tx }, { appId }) => lockApp(tx, appId),
  async execute(context, _input, { app }) {
    const { tx } = context
    const appEnvs = await tx.appEnv.findMany({ where: { appId: app.id, deletedAt: null }, orderBy: { id: 'asc' } })
    const kept = appEnvs.filter((appEnv) => appEnv.preventDestroy).map((appEnv) => appEnv.cliEnvName)
    if (kept.length > 0) {
      throw conflict(
        'PREVENT_DESTROY',
        `preventDestroy protects ${kept.join(', ')}; turn it off there before deleting the app`,
      )
    }
    const operationIds: string[] = []
    for (const { id: appEnvId } of appEnvs)
      operationIds.push(await removeAppEnv(context, await lockAppEnv(tx, { appEnvId })))
    await tx.gitHook.deleteMany({ where: { appId: app.id } })
    await tx.pullRequestEnvs.deleteMany({ where: { appId: app.id } })
    await tx.app.update({
      where: { id: app.id },
      data: { deletedAt: await databaseTime(tx), version: { increment: 1 } },
    })
    context.announce({ type: 'app.deleted', appId: app.id, payload: { name: app.name, environments: appEnvs.length } })
    context.auditDetails({ name: app.name, environments: appEnvs.length })
    return { message: `App "${app.name}" and its ${appEnvs.length} environment(s) are deleted`, operationIds }
  },
  async refresh(_tools, result, outcomes) {
    const left = outcomes.filter(({ status }) => status !== 'SUCCEEDED')
    const sentences = left.map(({ message, appEnv }) => `${appEnv.cliEnvName}: ${message}`)
    const message = [result.message, ...(left.length > 0 ? sentences : ['Their containers are removed'])].join('. ')
    return { ...result, message }
  },
})
