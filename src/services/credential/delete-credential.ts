import { z } from 'zod'
import { permit } from '../../calls/caller.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { flag, id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict } from '../../domain/errors.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { lockCredential } from './credential-commands.ts'
import type { CredentialUsage } from './credential-fields.ts'
import { ALL_COMPARED, usagesOf } from './credential-usages.ts'

/** Usages that a refusal names; the read has all. */
const MAX_NAMED = 5

const WORDS: Record<CredentialUsage['kind'], (name: string, count: number) => string> = {
  IMAGE_PULL: (name) => `the images of the app "${name}"`,
  BUILD_PULL: (name) => `the builds of the app "${name}"`,
  VERSION: (name) => `the version that runs in "${name}"`,
  DEFAULT: (name) => `the image that runs in "${name}", by default`,
  BACKUP_SCHEDULE: (name) => `the backup schedule of "${name}"`,
  BACKUP: (name, count) => `${count} backup(s) of "${name}"`,
}

export const deleteCredential = command({
  name: 'deleteCredential',
  rest: { method: 'DELETE', path: '/credential', answer: messageAnswer },
  versioned: true,
  about:
    'Delete a credential. Refused while it is used, unless forced: then it is removed from apps, and backup schedules that use it are turned off. Backups that are stored with it have to be deleted first in any case.',
  example: { answer: { message: 'Credential "Registry of the shop" is deleted' } },
  dangerous: true,
  input: z.strictObject({
    credentialId: id('credential'),
    force: flag('Delete the credential although it is used.').optional(),
  }),
  permission: 'credential:manage',
  target: ({ tx }, { credentialId }) => lockCredential(tx, credentialId),
  async execute(context, { force }, { credential }) {
    const { tx, announce, auditDetails } = context
    const { id: credentialId, type, name } = credential
    const usages = await usagesOf(tx, { ...credential, compared: ALL_COMPARED })
    const stored = usages.filter(({ kind }) => kind === 'BACKUP')
    if (stored.length > 0) throw conflict('CREDENTIAL_IN_USE', `${named(stored)} use the credential: delete them first`)
    if (usages.length > 0 && !force)
      throw conflict('CREDENTIAL_IN_USE', `The credential is used by ${named(usages)}. Send force to delete it anyway`)
    await removeFromUsers(context, credential, usages)
    await tx.credential.delete({ where: { id: credentialId } })
    announce({ type: 'credential.changed', payload: { credentialId, type, name, deleted: true } })
    auditDetails({ type, name, ...(usages.length > 0 ? { forced: true } : {}) })
    return { message: `Credential "${name}" is deleted` }
  },
})

function named(usages: readonly CredentialUsage[]): string {
  const names = usages.slice(0, MAX_NAMED).map(({ kind, name, count }) => WORDS[kind](name, count))
  const more = usages.length - names.length
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Removes every reference to the credential. Needs the right to change the apps and environments that have one. */
async function removeFromUsers(
  { tx, caller, announce }: CommandContext,
  { id, accountId }: { id: string; accountId: string },
  usages: readonly CredentialUsage[],
): Promise<void> {
  const forApps = usages.filter(({ kind }) => kind === 'IMAGE_PULL' || kind === 'BUILD_PULL')
  const forSchedules = usages.filter(({ kind }) => kind === 'BACKUP_SCHEDULE')
  if (forApps.length > 0) permit(caller, 'app:change', { accountId })
  for (const { appEnvId } of forSchedules) permit(caller, 'appEnv:change', { accountId, appEnvId: String(appEnvId) })
  for (const field of ['imagePullAccountSecretId', 'buildPullAccountSecretId'] as const) {
    const where = { accountId, [field]: id, deletedAt: null }
    const apps = await tx.app.findMany({ where, select: { id: true } })
    await tx.app.updateMany({ where, data: { [field]: null, version: { increment: 1 } } })
    for (const app of apps) announce({ type: 'app.updated', appId: app.id, payload: { changed: [field] } })
  }
  const where = { accountId, deletedAt: null, backupSchedule: { path: ['storage'], equals: id } }
  const scheduled = await tx.appEnv.findMany({ where, select: { id: true, appId: true } })
  const data = { backupSchedule: Prisma.DbNull, nextBackupAt: null, version: { increment: 1 } }
  await tx.appEnv.updateMany({ where, data })
  for (const { id: appEnvId, appId } of scheduled)
    announce({ type: 'appEnv.updated', appId, appEnvId, payload: { changed: ['backupSchedule'] } })
}
