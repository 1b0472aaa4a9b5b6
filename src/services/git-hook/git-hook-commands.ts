import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { id, name, pasted } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import type { Config } from '../../config/config.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import type { GitHookSecrets } from '../../domain/git-push.ts'
import { newId } from '../../domain/ids.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'
import type { GitHook } from '../../storage/database/generated/prisma/client.ts'
import { newWebhookSecret } from '../../storage/secrets/webhook-secret.ts'
import { lockAccount } from '../targets/load-account.ts'
import { lockApp } from '../targets/load-app.ts'
import { createdGitHook, gitHook, gitHookProvider } from './git-hook-fields.ts'
import { gitHookRecord } from './git-hook-queries.ts'
import { gitHookSecretsOf, lockGitHook } from './git-source.ts'

const MAX_URL_LENGTH = 500

const statusApiUrl = pasted()
  .min(1)
  .max(MAX_URL_LENGTH)
  .describe(
    'Address of the git host’s API, where commits get a status: https://api.github.com, https://gitlab.example.com/api/v4, https://git.example.com/api/v1. Together with statusToken.',
  )

const statusToken = pasted()
  .regex(/^[\x21-\x7e]{1,500}$/, 'must be printable ASCII, up to 500 characters')
  .describe('Token of the git host that may set statuses of commits. Stored encrypted, and sent to statusApiUrl alone.')

export const createGitHook = command({
  name: 'createGitHook',
  rest: { method: 'POST', path: '/account/git-hook', answer: createdGitHook },
  about:
    'Create a hook that receives the pushes of a git host for an account. Pushes deploy the environments that have auto-deploy. The secret for the git host is returned only in this answer.',
  example: { request: { provider: 'GITHUB', name: 'Repositories of the shop' } },
  input: z.strictObject({
    accountId: id('account'),
    appId: id('only app whose environments are deployed. Default: every app of the account').optional(),
    provider: gitHookProvider.type.describe('Kind of the git host.'),
    name: name('git hook'),
    statusApiUrl: statusApiUrl.optional(),
    statusToken: statusToken.optional(),
  }),
  permission: 'gitHook:manage',
  async target({ tx }, { accountId, appId }) {
    const { account } = await lockAccount(tx, accountId)
    // In the words for one that does not exist.
    if (appId && (await lockApp(tx, appId)).accountId !== account.id) throw notFound('app', appId)
    return { type: 'gitHook' as const, id: null, accountId: account.id, account }
  },
  async execute(context, { appId, provider, name, ...sent }, { account }) {
    const { tx, vault, config } = context
    checkStatus(config, sent)
    const { statusApiUrl = null, statusToken = null } = sent
    await requireRoom(context, account.id)
    const gitHookId = newId('ghook')
    const secret = newWebhookSecret()
    const secrets: GitHookSecrets = { secret, formerSecret: null, statusToken }
    const sealedData = vault.forAccount(account).sealGitHook(gitHookId, secrets)
    const row = await tx.gitHook.create({
      data: { id: gitHookId, accountId: account.id, appId: appId ?? null, provider, name, sealedData, statusApiUrl },
    })
    announceGitHook(context, row, {})
    const record = gitHookRecord.record(row)
    context.created(secret, record.path)
    return { ...record, secret }
  },
})

export const updateGitHook = command({
  name: 'updateGitHook',
  rest: { method: 'PUT', path: '/account/git-hook', answer: gitHook.answer },
  versioned: true,
  about: 'Change a git hook: its name, and where commits get a status, with null for nowhere.',
  example: { request: { statusApiUrl: 'https://api.github.com', statusToken: '<secret>' } },
  input: z.strictObject({
    gitHookId: id('git hook'),
    name: name('git hook').optional(),
    statusApiUrl: statusApiUrl.nullable().optional(),
    statusToken: statusToken.nullable().optional(),
  }),
  permission: 'gitHook:manage',
  target: ({ tx }, { gitHookId }) => lockGitHook(tx, gitHookId),
  async execute(context, { gitHookId, name, statusApiUrl, statusToken }, { gitHook }) {
    const { tx, vault, config } = context
    checkStatus(config, { statusApiUrl, statusToken })
    const isMoved = statusApiUrl !== undefined && statusToken !== undefined
    const secrets = gitHookSecretsOf(vault, gitHook)
    const moved = isMoved && {
      sealedData: vault.forAccount(gitHook.account).sealGitHook(gitHookId, { ...secrets, statusToken }),
      statusApiUrl,
      statusError: null,
    }
    const row = await tx.gitHook.update({
      where: { id: gitHookId },
      data: { ...(name ? { name } : {}), ...moved, version: { increment: 1 } },
    })
    announceGitHook(context, row, isMoved ? { statusApiUrl } : {})
    return gitHookRecord.record(row)
  },
})

export const rotateGitHookSecret = command({
  name: 'rotateGitHookSecret',
  rest: { method: 'POST', path: '/account/git-hook/rotate-secret', answer: createdGitHook },
  versioned: true,
  about:
    'Give a git hook a new secret, which is returned only in this answer. For a while, deliveries with the former one are accepted, too.',
  dangerous: true,
  input: z.strictObject({ gitHookId: id('git hook') }),
  permission: 'gitHook:manage',
  target: ({ tx }, { gitHookId }) => lockGitHook(tx, gitHookId),
  async execute(context, { gitHookId }, { gitHook }) {
    const { tx, vault, config } = context
    const { secret: formerSecret, statusToken } = gitHookSecretsOf(vault, gitHook)
    const secret = newWebhookSecret()
    const sealedData = vault.forAccount(gitHook.account).sealGitHook(gitHookId, { secret, formerSecret, statusToken })
    await tx.$executeRaw`
      UPDATE git_hook SET former_secret_until = now() + make_interval(hours => ${config.BERTH_GIT_HOOK_SECRET_HOURS})
      WHERE id = ${gitHookId}`
    const row = await tx.gitHook.update({ where: { id: gitHookId }, data: { sealedData, version: { increment: 1 } } })
    announceGitHook(context, row, { secretRotated: true })
    context.created(secret)
    return { ...gitHookRecord.record(row), secret }
  },
})

export const deleteGitHook = command({
  name: 'deleteGitHook',
  rest: { method: 'DELETE', path: '/account/git-hook', answer: messageAnswer },
  versioned: true,
  about: 'Delete a git hook: what the git host sends to it is refused. Its deliveries stay in the log.',
  example: { answer: { message: 'Git hook "Repositories of the shop" is deleted' } },
  dangerous: true,
  input: z.strictObject({ gitHookId: id('git hook') }),
  permission: 'gitHook:manage',
  target: ({ tx }, { gitHookId }) => lockGitHook(tx, gitHookId),
  async execute(context, { gitHookId }, { gitHook }) {
    await context.tx.gitHook.delete({ where: { id: gitHookId } })
    announceGitHook(context, gitHook, { deleted: true })
    return { message: `Git hook "${gitHook.name}" is deleted` }
  },
})

interface StatusInput {
  statusApiUrl?: string | null | undefined
  statusToken?: string | null | undefined
}

/** A token goes nowhere but where it was meant for: one is never set without the other. */
function checkStatus(config: Config, { statusApiUrl, statusToken }: StatusInput): void {
  const isOf = (value: string | null | undefined) =>
    value === undefined ? 'absent' : value === null ? 'null' : 'given'
  if (isOf(statusApiUrl) !== isOf(statusToken))
    throw invalidField(
      statusToken === undefined ? 'statusToken' : 'statusApiUrl',
      'is required together with the other one of statusApiUrl and statusToken',
    )
  const problem = statusApiUrl ? addressProblem(config, statusApiUrl) : null
  if (problem) throw invalidField('statusApiUrl', problem)
}

/** What an address shows without being resolved; the worker judges the addresses of its host. */
function addressProblem({ BERTH_GIT_PRIVATE_HOSTS: allowsPrivate }: Config, text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['https:', 'http:'].includes(url.protocol)) return 'must be a URL, such as https://api.github.com'
  if (url.username || url.password || url.search || url.hash)
    return 'must not hold a user name, a password, a query or a fragment'
  const judged = new HostRules(allowsPrivate).judge(url)
  if (judged.kind === 'refused') return `is on ${judged.inside}, where nothing is sent`
  return url.protocol === 'https:' || judged.kind === 'listed' ? null : 'must begin with https://'
}

async function requireRoom({ tx, config }: CommandContext, accountId: string): Promise<void> {
  const count = await tx.gitHook.count({ where: { accountId } })
  if (count < config.BERTH_ACCOUNT_GIT_HOOKS) return
  const limit = `may have ${config.BERTH_ACCOUNT_GIT_HOOKS} (BERTH_ACCOUNT_GIT_HOOKS)`
  throw conflict('TOO_MANY_GIT_HOOKS', `The account has ${count} git hooks, and ${limit}: delete some first`)
}

function announceGitHook(
  { announce, auditDetails }: CommandContext,
  { id: gitHookId, appId, provider, name }: GitHook,
  more: Record<string, unknown>,
): void {
  const about = appId === null ? {} : { appId }
  announce({ type: 'gitHook.changed', ...about, payload: { gitHookId, provider, name, ...more } })
  auditDetails({ provider, name, ...about, ...more })
}
