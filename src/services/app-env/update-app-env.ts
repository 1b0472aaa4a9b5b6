import { getAppType } from '../../app-types/app-types.ts'
import type { Prisma } from '../../database/generated/prisma/client.ts'
import { jsonOrNull } from '../../database/json.ts'
import { conflict } from '../../domain/errors.ts'
import { command } from '../command.ts'
import { applyWhereRunning } from '../lifecycle/apply-changes.ts'
import { type UpdateAppEnvInput, updateAppEnvInput } from './app-env-input.ts'
import { appEnvRecord } from './app-env-record.ts'
import { lockAppEnv, withEverything } from './load-app-env.ts'
import { checkTypeConfig } from './type-config.ts'
import { replaceVariables } from './variables.ts'

export const updateAppEnv = command({
  name: 'updateAppEnv',
  about: 'Change an environment. What its containers read stays as it is until the changes are applied.',
  input: updateAppEnvInput,
  permission: 'appEnv:change',
  target: ({ tx }, input) => lockAppEnv(tx, input),
  async execute(context, input, { appEnv }) {
    const { tx, vault } = context
    checkTypeConfig(getAppType(appEnv.app.type), input)
    if (input.name && input.name !== appEnv.name) {
      const clash = await tx.appEnv.findFirst({ where: { appId: appEnv.appId, name: input.name, deletedAt: null } })
      if (clash) throw conflict('NAME_TAKEN', `The app already has an environment "${input.name}"`)
    }
    await tx.appEnv.update({ where: { id: appEnv.id }, data: { ...changesOf(input), version: { increment: 1 } } })
    if (input.envVars) await replaceVariables(context, appEnv.account, appEnv.id, input.envVars)
    const { appEnvId: _id, envName: _name, applyImmediately, ...sent } = input
    const changed = Object.keys(sent)
    context.announce({ type: 'appEnv.updated', appId: appEnv.appId, appEnvId: appEnv.id, payload: { changed } })
    context.note({ changed, variables: input.envVars?.map((variable) => variable.name), applyImmediately })
    const [applied] = applyImmediately ? await applyWhereRunning(context, { id: appEnv.id }) : []
    const { appEnv: present } = await lockAppEnv(tx, { appEnvId: appEnv.id })
    const record = await appEnvRecord(tx, vault, present)
    return {
      ...record,
      appliedImmediately: Boolean(applied?.operation),
      ...(applied?.reason ? { notAppliedReason: applied.reason } : {}),
      operationId: applied?.operation?.id ?? null,
      version: present.version,
    }
  },
  async refresh({ database, vault }, result) {
    const present = await database.appEnv.findUnique({ where: { id: result.appEnvId }, include: withEverything })
    if (!present) return result
    return { ...result, ...(await appEnvRecord(database, vault, present)), version: present.version }
  },
})

function changesOf(input: UpdateAppEnvInput): Prisma.AppEnvUncheckedUpdateInput {
  const changes: Prisma.AppEnvUncheckedUpdateInput = {}
  if (input.name !== undefined) changes.name = input.name
  if (input.startupConfig !== undefined) changes.startupConfig = jsonOrNull(input.startupConfig)
  if (input.preventDestroy !== undefined) changes.preventDestroy = input.preventDestroy
  if (input.allowUserCliToken !== undefined) changes.allowUserCliToken = input.allowUserCliToken
  if (input.jobConfig !== undefined) changes.jobConfig = input.jobConfig
  if (input.functionConfig !== undefined) changes.functionConfig = input.functionConfig
  return changes
}
