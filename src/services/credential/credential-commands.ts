import { z } from 'zod'
import type { Transaction } from '../../database/client.ts'
import { type Caller, may } from '../kernel/caller.ts'
import { command } from '../kernel/command.ts'
import { flag, id, name } from '../kernel/input.ts'
import { lockAccount } from '../targets/load-account.ts'
import { checkData, credentialData, credentialType, publicDataOf } from './credential-data.ts'
import { credentialRecord } from './credential-queries.ts'
import { defaultFor, makeRoomForDefault } from './default-credential.ts'
import { insertCredential } from './insert-credential.ts'
import { type CredentialTarget, lockCredential } from './lock-credential.ts'
import { checkOf, requireAccepted, type Tried, tryCredential } from './try-credential.ts'

const isDefault = flag(
  'Whether images of the registry are pulled with the credential where an app names none. A registry has one default: the former one is none any more.',
)

const manages = (caller: Caller, accountId: string) => may(caller, 'credential:manage', { accountId })

export const createCredential = command({
  name: 'createCredential',
  about:
    'Keep a login, such as that of a container registry, for apps to refer to by id. A registry is asked whether it accepts the login, which is refused if it does not; where it gives no answer, the login is saved with a warning.',
  input: z.strictObject({
    accountId: id('account'),
    type: credentialType,
    name: name('credential'),
    data: credentialData,
    isDefault: isDefault.optional(),
  }),
  permission: 'credential:manage',
  /** The registry is asked before the transaction begins, and only for callers whose call could succeed. */
  prepare: async (tools, caller, { accountId, type, data }): Promise<Tried> =>
    manages(caller, accountId) ? tryCredential(tools, accountId, { type, data }) : null,
  async target({ tx }, { accountId, type, data, isDefault: asDefault = false }) {
    checkData(type, data)
    const registry = defaultFor(type, asDefault, data)
    const { account } = await lockAccount(tx, accountId)
    return { type: 'credential' as const, id: null, accountId: account.id, account, registry }
  },
  async execute(context, { type, name, data }, { account, registry }) {
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
  about:
    'Rename a credential, replace its data, or make it the default of its registry. New data is tried like that of a new credential. Later deployments use it.',
  input: z.strictObject({
    credentialId: id('credential'),
    name: name('credential').optional(),
    data: credentialData.optional(),
    isDefault: isDefault.optional(),
  }),
  permission: 'credential:manage',
  async prepare(tools, caller, { credentialId, data }): Promise<Tried> {
    if (!data) return null
    const select = { accountId: true, type: true }
    const found = await tools.database.credential.findUnique({ where: { id: credentialId }, select })
    return found && manages(caller, found.accountId)
      ? tryCredential(tools, found.accountId, { type: found.type, data })
      : null
  },
  async target({ tx }, { credentialId, data, isDefault: asDefault }) {
    const target = await lockWithAccount(tx, credentialId, asDefault !== undefined || data !== undefined)
    const { type, publicData, defaultFor: former } = target.credential
    if (data) checkData(type, data)
    const known = data ?? (publicData as Record<string, string>)
    return { ...target, registry: defaultFor(type, asDefault ?? former !== null, known) }
  },
  async execute(context, { name, data }, { credential, registry }) {
    const { tx, vault, announce, auditDetails } = context
    const { id: credentialId, type, account } = credential
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

async function acceptedCheck(tx: Transaction, verdict: Tried, data: Record<string, string>) {
  requireAccepted(verdict, data)
  return checkOf(tx, verdict, data)
}

/** The account first, as whoever creates a credential does: two that make defaults wait for each other. */
async function lockWithAccount(
  tx: Transaction,
  credentialId: string,
  mayBeDefault: boolean,
): Promise<CredentialTarget> {
  const found = mayBeDefault ? await tx.credential.findUnique({ where: { id: credentialId } }) : null
  if (found) await lockAccount(tx, found.accountId)
  return lockCredential(tx, credentialId)
}
