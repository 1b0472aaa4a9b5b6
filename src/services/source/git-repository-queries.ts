import { z } from 'zod'
import { accountOrCurrent, permit } from '../../calls/caller.ts'
import { exampleId } from '../../calls/examples.ts'
import { id } from '../../calls/input.ts'
import { type QueryContext, recordQuery } from '../../calls/query.ts'
import type { Config } from '../../config/config.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import { invalidField, unavailable } from '../../domain/errors.ts'
import { type GitHubApp, listRepositories, mintAuthorization } from '../../network/git/github-app.ts'
import { listBranches } from '../../network/git/list-branches.ts'
import { gitInstallationId, gitNamespace, gitRepo } from '../app/app-input.ts'
import { repositoryUrl } from '../configuration/build-plan.ts'
import { requireGitHubApp, requireProved } from '../git/git-installation.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type Branches, gitBranches, gitRepositories, type Repositories } from './git-repository-fields.ts'

const DEADLINE_MS = 15_000
const RETRY_SECONDS = 10
/** Of one account, which are asked one after the other. */
const MAX_INSTALLATIONS = 10
const MAX_BRANCHES = 1_000
const MAX_REPOSITORIES = 1_000

interface OfAccount {
  accountId?: string | undefined
}

/** Who may set the repository of an app may ask what it could be. Counts against the budget of the account. */
async function lookingFor({ database, caller, limits }: QueryContext, { accountId }: OfAccount): Promise<string> {
  const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'app:change', { accountId: owner })
  await limits?.consumeLookup(owner)
  return owner
}

const gitHubApp = (config: Config): GitHubApp & { cloneUrl: string } => {
  requireGitHubApp(config)
  const { BERTH_GITHUB_APP_ID: appId = '', BERTH_GITHUB_PRIVATE_KEY: privateKey = '' } = config
  return { appId, privateKey, apiUrl: config.BERTH_GITHUB_API_URL, cloneUrl: config.BERTH_GITHUB_URL }
}

/** What a host said, as an answer to who asked. */
const toCaller =
  (field: string) =>
  (error: unknown): never => {
    if (!(error instanceof BuildFailure)) throw error
    if (error.reason === 'SOURCE_UNREACHABLE') throw unavailable(error.message, RETRY_SECONDS)
    throw invalidField(field, `cannot be read: ${error.message}`)
  }

interface WhichRepository extends OfAccount {
  gitRepo: string
  gitNamespace?: string | undefined
  gitInstallationId?: string | undefined
  search?: string | undefined
  limit: number
}

async function findBranches(context: QueryContext, which: WhichRepository): Promise<Branches> {
  const { config } = context
  const accountId = await lookingFor(context, which)
  const named = { gitRepo: which.gitRepo, gitNamespace: which.gitNamespace ?? null }
  const url = repositoryUrl(named, config)
  if (!url) throw invalidField('gitRepo', 'must name a repository')
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const authorization = await authorizationFor(context, accountId, which.gitInstallationId, url, signal)
  const allowsPrivateHosts = config.BERTH_GIT_PRIVATE_HOSTS
  const found = await listBranches({ url, authorization, allowsPrivateHosts, signal }).catch(toCaller('gitRepo'))
  const text = which.search?.toLowerCase() ?? ''
  const matching = found.branches.filter(({ name }) => name.toLowerCase().includes(text))
  matching.sort((one, other) => (one.name < other.name ? -1 : 1))
  const branches = matching.slice(0, which.limit)
  return {
    url,
    defaultBranch: found.defaultBranch,
    branches,
    isComplete: found.isComplete && branches.length === matching.length,
  }
}

/** Of a private repository. The token goes only to the host that issued it. */
async function authorizationFor(
  context: QueryContext,
  accountId: string,
  installationId: string | undefined,
  url: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!installationId) return null
  const app = gitHubApp(context.config)
  await permitInstallation(context, accountId, installationId)
  if (!url.startsWith(`${app.cloneUrl.replace(/\/$/, '')}/`)) return null
  const repository = url.slice(url.lastIndexOf('/') + 1).replace(/\.git$/, '')
  return mintAuthorization(app, installationId, repository, signal).catch(toCaller('gitInstallationId'))
}

/** The admin of the installation has the App’s key. */
const permitInstallation = async ({ database, caller }: QueryContext, accountId: string, installationId: string) =>
  caller.isInstallationAdmin || requireProved(database, accountId, installationId)

async function findRepositories(
  context: QueryContext,
  { gitInstallationId: named, ...of }: OfAccount & { gitInstallationId?: string | undefined },
): Promise<Repositories> {
  const { config, database } = context
  const accountId = await lookingFor(context, of)
  const app = gitHubApp(config)
  if (named) await permitInstallation(context, accountId, named)
  const where = { accountId }
  const orderBy = { installationId: 'asc' } as const
  const own = named ? [] : await database.gitInstallation.findMany({ where, orderBy, take: MAX_INSTALLATIONS + 1 })
  const installations = named ? [named] : own.map(({ installationId }) => installationId)
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const found: Repositories = { repositories: [], isComplete: installations.length <= MAX_INSTALLATIONS }
  for (const installationId of installations.slice(0, MAX_INSTALLATIONS)) {
    const some = await listRepositories(app, installationId, signal).catch(toCaller('gitInstallationId'))
    found.isComplete &&= some.isComplete
    for (const { namespace, name, defaultBranch, isPrivate } of some.repositories) {
      const url = `${app.cloneUrl.replace(/\/$/, '')}/${[namespace, name].map(encodeURIComponent).join('/')}.git`
      found.repositories.push({
        gitInstallationId: installationId,
        gitNamespace: namespace,
        gitRepo: name,
        url,
        defaultBranch,
        isPrivate,
      })
    }
  }
  const keyOf = ({ gitNamespace, gitRepo }: Repositories['repositories'][number]) => `${gitNamespace}/${gitRepo}`
  const sorted = found.repositories.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const repositories = sorted.slice(0, MAX_REPOSITORIES)
  return { repositories, isComplete: found.isComplete && repositories.length === sorted.length }
}

const ofAccount = { accountId: id('account').optional() }

export const getGitBranches = recordQuery({
  name: 'getGitBranches',
  path: '/git/branches',
  permission: 'app:change',
  about:
    'The branches of a git repository, as its host names them now: the repository is named as for createApp. The host has 15 seconds.',
  example: { request: { accountId: exampleId('acc'), gitRepo: 'https://github.com/acme/shop', limit: 100 } },
  input: {
    ...ofAccount,
    gitRepo,
    gitNamespace: gitNamespace.optional(),
    gitInstallationId: gitInstallationId.optional(),
    search: z.string().trim().min(1).max(250).optional().describe('Text in the name of the branch, in any case.'),
    limit: z.int().min(1).max(MAX_BRANCHES).default(100).describe('Maximum number of branches in the answer.'),
  },
  of: gitBranches,
  isSingle: false,
  refusals: ['CONFLICT'],
  find: (context, input) => findBranches(context, input),
})

export const getGitRepositories = recordQuery({
  name: 'getGitRepositories',
  path: '/git/repositories',
  permission: 'app:change',
  about:
    'The repositories that an installation of the GitHub App may read, or all that the account has connected. GitHub has 15 seconds.',
  example: { request: { accountId: exampleId('acc') } },
  input: { ...ofAccount, gitInstallationId: gitInstallationId.optional() },
  of: gitRepositories,
  isSingle: false,
  refusals: ['CONFLICT'],
  find: (context, input) => findRepositories(context, input),
})
