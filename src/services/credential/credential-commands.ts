import { z } from 'zod'
import type { Transaction } from '../../database/client.ts'
import type { Account, Credential } from '../../database/generated/prisma/client.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { command, type Target } from '../kernel/command.ts'
import { id, name } from '../kernel/input.ts'
import { lockAccount } from '../targets/load-account.ts'
import { checkData, credentialData, credentialType, publicDataOf } from './credential-data.ts'
import { credentialRecord } from './credential-queries.ts'
import { insertCredential } from './insert-credential.ts'

type CredentialTarget = Target & { credential: Credential & { account: Account } }

async function lockCredential(tx: Transaction, credentialId: string): Promise<CredentialTarget> {
  await tx.$queryRaw`SELECT 1 FROM credential WHERE id = ${credentialId} FOR UPDATE`
  const credential = await tx.credential.findUnique({ where: { id: credentialId }, include: { account: true } })
  if (!credential) throw notFound('credential', credentialId)
  return {
    type: 'credential',
    id: credential.id,
    accountId: credential.accountId,
    version: credential.version,
    credential,
  }
}

export const createCredential = command({
  name: 'createCredential',
  about: 'Keep a login, such as that of a container registry, for apps to refer to by id.',
  input: z.strictObject({
    accountId: id('account'),
    type: credentialType,
    name: name('credential'),
    data: credentialData,
  }),
  permission: 'credential:manage',
  async target({ tx }, { accountId, type, data }) {
    checkData(type, data)
    const { account } = await lockAccount(tx, accountId)
    return { type: 'credential' as const, id: null, accountId: account.id, account }
  },
  async execute(context, { type, name, data }, { account }) {
    const credentialId = await insertCredential(context, account, { type, name, data })
    context.auditDetails({ type, name })
    return { credentialId }
  },
})

export const updateCredential = command({
  name: 'updateCredential',
  about: 'Rename a credential, or replace its data. Later deployments use the new data.',
  input: z.strictObject({
    credentialId: id('credential'),
    name: name('credential').optional(),
    data: credentialData.optional(),
  }),
  permission: 'credential:manage',
  async target({ tx }, { credentialId, data }) {
    const target = await lockCredential(tx, credentialId)
    if (data) checkData(target.credential.type, data)
    return target
  },
  async execute({ tx, vault, announce, auditDetails }, { name, data }, { credential }) {
    const { id: credentialId, type, account } = credential
    const replaced = data && {
      sealedData: vault.forAccount(account).sealCredential(credentialId, data),
      publicData: publicDataOf(type, data),
    }
    const updated = await tx.credential.update({
      where: { id: credentialId },
      data: { ...(name ? { name } : {}), ...replaced, version: { increment: 1 } },
    })
    announce({ type: 'credential.changed', payload: { credentialId, type, name: updated.name } })
    auditDetails({ name: updated.name, dataReplaced: data !== undefined })
    return credentialRecord.record(updated)
  },
})

export const deleteCredential = command({
  name: 'deleteCredential',
  about: 'Delete a credential. Refused while an app refers to it.',
  dangerous: true,
  input: z.strictObject({ credentialId: id('credential') }),
  permission: 'credential:manage',
  target: ({ tx }, { credentialId }) => lockCredential(tx, credentialId),
  async execute({ tx, announce, auditDetails }, _input, { credential }) {
    const { id: credentialId, type, name } = credential
    const refersToIt = { OR: [{ imagePullAccountSecretId: credentialId }, { buildPullAccountSecretId: credentialId }] }
    const app = await tx.app.findFirst({ where: { ...refersToIt, deletedAt: null } })
    if (app) throw conflict('CREDENTIAL_IN_USE', `The app "${app.name}" (${app.id}) refers to the credential`)
    const stored = await tx.backup.count({ where: { storageCredentialId: credentialId } })
    if (stored > 0)
      throw conflict(
        'CREDENTIAL_IN_USE',
        `${stored} backup(s) are in the object storage of the credential: delete them first`,
      )
    const scheduled = await tx.appEnv.findFirst({
      where: { backupSchedule: { path: ['storage'], equals: credentialId }, deletedAt: null },
    })
    if (scheduled)
      throw conflict('CREDENTIAL_IN_USE', `The backup schedule of "${scheduled.cliEnvName}" refers to the credential`)
    await tx.credential.delete({ where: { id: credentialId } })
    announce({ type: 'credential.changed', payload: { credentialId, type, name, deleted: true } })
    auditDetails({ type, name })
    return { message: `Credential "${name}" is deleted` }
  },
})
