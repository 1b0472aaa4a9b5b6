import { getAppType } from '../../app-types/app-types.ts'
import { type App, Prisma } from '../../database/generated/prisma/client.ts'
import { invalidField } from '../../domain/errors.ts'
import { command } from '../command.ts'
import { requireCredential } from '../credential/require-credential.ts'
import { applyWhereRunning } from '../lifecycle/apply-changes.ts'
import { type UpdateAppInput, updateAppInput } from './app-input.ts'
import { checkUpdate, typeOfPreset } from './app-rules.ts'
import { lockApp } from './load-app.ts'

export const updateApp = command({
  name: 'updateApp',
  about: 'Change an app. Its environments keep running as they are until the changes are applied.',
  input: updateAppInput,
  permission: 'app:change',
  target: ({ tx }, { appId }) => lockApp(tx, appId),
  async execute(context, input, { app }) {
    checkUpdate(input, app.type, app.useImage)
    const { tx } = context
    if (input.dockerPreset && typeOfPreset(input.dockerPreset).name !== getAppType(app.type).name) {
      throw invalidField('dockerPreset', `cannot turn this app into a ${typeOfPreset(input.dockerPreset).title}`)
    }
    await requireCredential(tx, app.accountId, 'imagePullAccountSecretId', input.imagePullAccountSecretId)
    await requireCredential(tx, app.accountId, 'buildPullAccountSecretId', input.buildPullAccountSecretId)
    const updated = await tx.app.update({
      where: { id: app.id },
      data: { ...changesOf(input), version: { increment: 1 } },
    })
    if (input.image)
      await tx.appEnv.updateMany({ where: { appId: app.id, deletedAt: null }, data: { pendingImage: input.image } })
    const environmentsAffected = await tx.appEnv.count({ where: { appId: app.id, deletedAt: null } })
    const changed = Object.keys(input).filter((field) => field !== 'appId' && field !== 'applyImmediately')
    context.announce({ type: 'app.updated', appId: app.id, payload: { changed } })
    context.note({ changed, environmentsAffected, applyImmediately: input.applyImmediately })
    if (input.applyImmediately) await applyWhereRunning(context, { appId: app.id })
    return { ...answerOf(updated), environmentsAffected }
  },
})

const answerOf = (app: App) => ({ appId: app.id, name: app.name, dockerPreset: app.dockerPreset, port: app.port })

/** Empty strings and objects clear (§4.2); a field that was not sent stays as it is. */
function changesOf(input: UpdateAppInput): Prisma.AppUncheckedUpdateInput {
  const { appId: _appId, applyImmediately: _apply, ...fields } = input
  const changes: Prisma.AppUncheckedUpdateInput = { ...fields }
  for (const field of [
    'healthCheckPath',
    'imagePullAccountSecretId',
    'buildPullAccountSecretId',
    'buildArgs',
  ] as const) {
    if (fields[field] === '') changes[field] = null
  }
  if (fields.healthCheckHeaders && Object.keys(fields.healthCheckHeaders).length === 0) {
    changes.healthCheckHeaders = Prisma.DbNull
  }
  // The two ways to say which Dockerfile replace each other.
  if (fields.dockerfilePath) changes.customDockerfileContent = null
  if (fields.customDockerfileContent) changes.dockerfilePath = null
  if (fields.customDockerfileContent === '') changes.customDockerfileContent = null
  if (fields.dockerPreset === 'CUSTOM' && !fields.customDockerfileContent && !fields.dockerfilePath) {
    changes.dockerfilePath = 'Dockerfile'
  }
  return changes
}
