import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { command, type Target } from '../../calls/command.ts'
import { id, name } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict, type FieldProblem, invalidInput, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { accountSlug, slugOf } from '../../domain/names.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import { beginAuditChain } from '../../storage/events/audit-heads.ts'
import { credentialText } from '../credential/credential-data.ts'
import { insertCredential } from '../credential/insert-credential.ts'
import { checkOf, requireAccepted, type Tried, tryCredential } from '../credential/try-credential.ts'
import { planCode as planCodeInput } from '../plan/plan-input.ts'
import { lockAccount } from '../targets/load-account.ts'
import {
  createdAccountAnswer,
  currentAccountAnswer,
  entitlement,
  renamedAccountAnswer,
  updatedAccountAnswer,
} from './account-fields.ts'

/** The login of a container registry, as older clients send it with a new account. */
const registryFields = {
  registryServer: credentialText('Host or address of a container registry, such as ghcr.io.').optional(),
  registryUsername: credentialText('User name at the registry.').optional(),
  registryPassword: credentialText('Password at the registry, or a token in its place; stored encrypted.').optional(),
  registryEmail: z.email().max(254).optional().describe('E-mail address of the user at the registry.'),
}

type Sent = { [Name in keyof typeof registryFields]?: string | undefined }

const REQUIRED = ['registryServer', 'registryUsername', 'registryPassword'] as const

/** The credential to create for them; null when none was sent. Throws INVALID_INPUT for a part of a login. */
function registryCredential(sent: Sent) {
  const { registryServer, registryUsername, registryPassword, registryEmail } = sent
  const isSent = Object.values({ registryServer, registryUsername, registryPassword, registryEmail }).some(Boolean)
  if (!isSent) return null
  if (registryServer && registryUsername && registryPassword) {
    const login = { registry: registryServer, username: registryUsername, password: registryPassword }
    const data = { ...login, ...(registryEmail ? { email: registryEmail } : {}) }
    return { type: 'CONTAINER_REGISTRY' as const, name: registryOfLogin(registryServer), data }
  }
  throw invalidInput(REQUIRED.filter((field) => !sent[field]).map(missing))
}

const missing = (field: string): FieldProblem => ({ field, message: 'is required for the login of a registry' })

export const createAccount = command({
  name: 'createAccount',
  rest: { method: 'POST', path: '/account', answer: createdAccountAnswer },
  about:
    'Create an account. Its creator becomes its first ADMIN. With a registry’s login, it gets that as its first credential, the default of that registry, unless the registry refuses it.',
  example: { request: { name: 'Bakery' } },
  input: z.strictObject({ name: name('account'), ...registryFields }),
  permission: 'installation:manage',
  prepare: {
    on: async () => ({ accountId: null }),
    async ask(tools, caller, input): Promise<Tried> {
      const { registryServer, registryUsername, registryPassword } = input
      if (!registryServer || !registryUsername || !registryPassword) return null
      const data = { registry: registryServer, username: registryUsername, password: registryPassword }
      // There is no account yet that could pay.
      return tryCredential(tools, caller.userId ?? caller.tokenId, { type: 'CONTAINER_REGISTRY', data })
    },
  },
  target: async (): Promise<Target> => ({ type: 'account', id: null, accountId: null }),
  async execute(context, input) {
    const credential = registryCredential(input)
    const { tx, caller, config, vault, announce, auditDetails } = context
    const userId = userOf(caller)
    const planCode = config.BERTH_DEFAULT_PLAN
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('berth account slugs'))`
    const taken = await tx.account.findMany({ select: { slug: true } })
    const slug = accountSlug(slugOf(input.name), new Set(taken.map((account) => account.slug)))
    const accountId = newId('acc')
    const data = { id: accountId, name: input.name, slug, planCode, dataKey: vault.wrapNewKey(accountId) }
    await tx.account.create({ data })
    await beginAuditChain(tx, vault, accountId)
    await tx.membership.create({ data: { accountId, userId, roles: ['ADMIN'] } })
    announce({ type: 'account.created', payload: { accountId, name: input.name, slug } })
    auditDetails({ name: input.name, slug })
    if (!credential) return { accountId }
    const verdict: Tried = context.prepared as Tried
    requireAccepted(verdict, credential.data, { registry: 'registryServer', password: 'registryPassword' })
    const { checkedAt } = await checkOf(tx, verdict, credential.data)
    const registry = registryOfLogin(credential.data.registry)
    const credentialId = await insertCredential(context, data, { ...credential, defaultFor: registry, checkedAt })
    context.created(credentialId)
    auditDetails({ credentialId, registry: credential.name })
    return { accountId, credentialId }
  },
})

const allowed = (what: string) => z.boolean().optional().describe(`Whether the account may use ${what}.`)

export const updateAccount = command({
  name: 'updateAccount',
  rest: { method: 'PUT', path: '/account', answer: updatedAccountAnswer },
  versioned: true,
  about:
    'Put an account on a plan, entitle it, allow it what its plan includes, or forbid it. What is deployed already keeps running. Only the installation’s admin may.',
  example: { request: { plan: 'standard', allowFunctions: false } },
  input: z.strictObject({
    accountId: id('account'),
    allowFunctions: allowed('functions, which scale to zero'),
    allowAutoScaling: allowed('autoscaling'),
    plan: planCodeInput.optional().describe('Code of the plan that the account is put on.'),
    entitlements: z
      .array(entitlement.type)
      .max(1)
      .optional()
      .describe('Everything that the account is entitled to besides its plan.'),
  }),
  permission: 'installation:manage',
  // Of no account: its ADMIN, who carries every permission within it, must not lift what the installation set.
  target: async ({ tx }, { accountId }) => ({ ...(await lockAccount(tx, accountId)), accountId: null }),
  async execute({ tx, announce, auditDetails }, { accountId, plan, ...allowances }) {
    if (plan !== undefined && !(await tx.plan.findUnique({ where: { code: plan } }))) throw notFound('plan', plan)
    const sent = Object.fromEntries(Object.entries(allowances).filter(([, value]) => value !== undefined))
    const changes = { ...sent, ...(plan === undefined ? {} : { plan }) }
    const account = await tx.account.update({
      where: { id: accountId },
      data: { ...sent, ...(plan === undefined ? {} : { planCode: plan }), version: { increment: 1 } },
    })
    announce({ type: 'account.updated', payload: { accountId, ...changes } })
    auditDetails(changes)
    const present = { allowFunctions: account.allowFunctions, allowAutoScaling: account.allowAutoScaling }
    const given = { plan: account.planCode, entitlements: account.entitlements }
    return { accountId, ...present, ...given }
  },
})

export const renameAccount = command({
  name: 'renameAccount',
  rest: { method: 'PATCH', path: '/account/name', answer: renamedAccountAnswer },
  versioned: true,
  about: 'Rename an account. Its slug, and with it hosts and CLI names, stay, so that no address changes.',
  example: { request: { name: 'Patisserie' }, answer: { name: 'Patisserie' } },
  input: z.strictObject({ accountId: id('account'), name: name('account') }),
  permission: 'account:change',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute({ tx, announce, auditDetails }, { accountId, name }, { account }) {
    if (name !== account.name) {
      await tx.account.update({ where: { id: accountId }, data: { name, version: { increment: 1 } } })
      announce({ type: 'account.updated', payload: { accountId, name } })
    }
    auditDetails({ name })
    return { accountId, name, slug: account.slug }
  },
})

export const deleteAccount = command({
  name: 'deleteAccount',
  rest: { method: 'DELETE', path: '/account', answer: messageAnswer },
  versioned: true,
  about: 'Delete an account without apps.',
  example: { answer: { message: 'Account "Bakery" is deleted' } },
  dangerous: true,
  input: z.strictObject({ accountId: id('account') }),
  permission: 'account:change',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute({ tx, announce, auditDetails }, _input, { account }) {
    const apps = await tx.app.count({ where: { accountId: account.id, deletedAt: null } })
    if (apps > 0) throw conflict('ACCOUNT_NOT_EMPTY', `The account still has ${apps} app(s); delete them first`)
    const volumes = await tx.volume.count({ where: { accountId: account.id } })
    if (volumes > 0)
      throw conflict('ACCOUNT_NOT_EMPTY', `The account still has ${volumes} volume(s); delete them first`)
    const backups = await tx.backup.count({ where: { accountId: account.id } })
    if (backups > 0)
      throw conflict('ACCOUNT_NOT_EMPTY', `The account still has ${backups} backup(s); delete them first`)
    const busy = await tx.operation.count({ where: { accountId: account.id, status: { in: ['QUEUED', 'RUNNING'] } } })
    if (busy > 0)
      throw conflict('ACCOUNT_BUSY', 'Deleted environments of the account are still being removed; try again shortly')
    const others = await tx.account.count()
    if (others === 1) throw conflict('LAST_ACCOUNT', 'The last account of an installation cannot be deleted')
    // Only tombstones remain; events and audit entries stay in the account's event sequence.
    await tx.operation.deleteMany({ where: { accountId: account.id } })
    await tx.appEnv.deleteMany({ where: { accountId: account.id } })
    await tx.app.deleteMany({ where: { accountId: account.id } })
    await tx.account.delete({ where: { id: account.id } })
    announce({ type: 'account.deleted', payload: { accountId: account.id, name: account.name } })
    auditDetails({ name: account.name })
    return { message: `Account "${account.name}" is deleted` }
  },
})

export const setCurrentAccount = command({
  name: 'setCurrentAccount',
  rest: { method: 'PUT', path: '/account/current', answer: currentAccountAnswer },
  versioned: true,
  about: 'Select your current account, which lists are about when they name none.',
  example: { answer: { message: '"Default" is your current account' } },
  input: z.strictObject({ accountId: id('account') }),
  permission: 'account:read',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute({ tx, caller, auditDetails }, _input, { account }) {
    await tx.user.update({ where: { id: userOf(caller) }, data: { currentAccountId: account.id } })
    auditDetails({ currentAccountId: account.id })
    return { accountId: account.id, message: `"${account.name}" is your current account` }
  },
})
