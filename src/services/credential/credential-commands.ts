import { z } from 'zod'
import { command, type Target } from '../../calls/command.ts'
import { flag, id, name } from '../../calls/input.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Account, Credential } from '../../storage/database/generated/prisma/client.ts'
import { lockAccount } from '../targets/load-account.ts'
import { checkData, credentialData, credentialType, publicDataOf } from './credential-data.ts'
import { changedCredentialAnswer, createdCredentialAnswer } from './credential-fields.ts'
import { credentialRecord } from './credential-queries.ts'
import { defaultFor, insertCredential, makeRoomForDefault } from './insert-credential.ts'
import { checkOf, requireAccepted, type Tried, tryCredential } from './try-credential.ts'

type CredentialTarget = Target & { credential: Credential & { account: Account } }

export async function lockCredential(tx: Transaction, credentialId: string): Promise<CredentialTarget> {
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

const isDefault = flag(
  'Whether images of the registry are pulled with the credential where an app names none. A registry has one default; setting it replaces the former one.',
)

export const createCredential = command({
  name: 'createCredential',
  rest: { method: 'POST', path: '/credential', answer: createdCredentialAnswer },
  about:
    'Keep a login, such as that of a container registry, for apps to refer to by id. The login is checked at the registry and refused if the registry does not accept it; when the registry does not answer, the login is saved with a warning.',
  example: {
    request: {
      type: 'CONTAINER_REGISTRY',
      name: 'Registry of the shop',
      data: { registry: 'registry.example.com', username: 'shop', password: '<secret>' },
    },
  },
  input: z.strictObject({
    accountId: id('account'),
    type: credentialType,
    name: name('credential'),
    data: credentialData,
    isDefault: isDefault.optional(),
  }),
  permission: 'credential:manage',
  prepare: {
    on: async (_tools, { accountId }) => ({ accountId }),
    ask: (tools, _caller, { accountId, type, data }): Promise<Tried> => tryCredential(tools, accountId, { type, data }),
  },
  async target({ tx }, { accountId }) {
    const { account } = await lockAccount(tx, accountId)
    return { type: 'credential' as const, id: null, accountId: account.id, account }
  },
  async execute(context, { type, name, data, isDefault: asDefault = false }, { account }) {
    checkData(type, data)
    const registry = defaultFor(type, asDefault, data)
    const verdict: Tried = context.prepared as Tried
    requireAccepted(verdict, data)
    const { checkedAt, warning } = await checkOf(context.tx, verdict, data)
    const made = { type, name, data, defaultFor: registry, checkedAt }
    const credentialId = await insertCredential(context, account, made)
    context.auditDetails({ type, name, defaultFor: registry ?? undefined })
    return { credentialId, checkedAt: checkedAt?.toISOString() ?? null, ...(warning ? { warning } : {}) }
  },
})

export const updateCredential = command({
  name: 'updateCredential',
  rest: { method: 'PUT', path: '/credential', answer: changedCredentialAnswer },
  versioned: true,
  about:
    'Rename a credential, replace its data, or make it the default of its registry. New data is tried like that of a new credential. Later deployments use it.',
  example: { request: { data: { registry: 'registry.example.com', username: 'shop', password: '<secret>' } } },
  input: z.strictObject({
    credentialId: id('credential'),
    name: name('credential').optional(),
    data: credentialData.optional(),
    isDefault: isDefault.optional(),
  }),
  permission: 'credential:manage',
  prepare: {
    on: ({ database }, { credentialId }) => kindOf(database, credentialId),
    async ask(tools, _caller, { credentialId, data }): Promise<Tried> {
      const found = data ? await kindOf(tools.database, credentialId) : null
      return found && data ? tryCredential(tools, found.accountId, { type: found.type, data }) : null
    },
  },
  target: ({ tx }, { credentialId }) => lockWithAccount(tx, credentialId),
  async execute(context, { name, data, isDefault: asDefault }, { credential }) {
    const { tx, vault, announce, auditDetails } = context
    const { id: credentialId, type, account, publicData, defaultFor: former } = credential
    if (data) checkData(type, data)
    const registry = defaultFor(type, asDefault ?? former !== null, data ?? (publicData as Record<string, string>))
    const verdict: Tried = context.prepared as Tried
    const { checkedAt, warning } = data
      ? await acceptedCheck(tx, verdict, data)
      : { checkedAt: credential.checkedAt, warning: undefined }
    await makeRoomForDefault(context, account.id, registry, credentialId)
    const replaced = data && {
      sealedData: vault.forAccount(account).sealCredential(credentialId, data),
      publicData: publicDataOf(type, data),
    }
    const updated = await tx.credential.update({
      where: { id: credentialId },
      data: { ...(name ? { name } : {}), ...replaced, defaultFor: registry, checkedAt, version: { increment: 1 } },
    })
    announce({ type: 'credential.changed', payload: { credentialId, type, name: updated.name } })
    auditDetails({ name: updated.name, dataReplaced: data !== undefined })
    return { ...credentialRecord.record(updated), ...(warning ? { warning } : {}) }
  },
})

const kindOf = (database: Database, id: string) =>
  database.credential.findUnique({ where: { id }, select: { accountId: true, type: true } })

async function acceptedCheck(tx: Transaction, verdict: Tried, data: Record<string, string>) {
  requireAccepted(verdict, data)
  return checkOf(tx, verdict, data)
}

/**
 * The account first, in the same order as when a credential is created: two calls that set defaults wait for each
 * other.
 */
async function lockWithAccount(tx: Transaction, credentialId: string): Promise<CredentialTarget> {
  const found = await tx.credential.findUnique({ where: { id: credentialId } })
  if (found) await lockAccount(tx, found.accountId)
  return lockCredential(tx, credentialId)
}
