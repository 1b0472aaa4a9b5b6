import { BuildFailure } from '../../domain/build-failure.ts'
import { CLAIM_SECONDS, type CommitState, isWorthRetrying, statusRequest } from '../../domain/commit-status.ts'
import type { GitHookSecrets } from '../../domain/git-push.ts'
import { publicUrl } from '../../domain/public-url.ts'
import { inParallel } from '../../engines/runtime/in-parallel.ts'
import { askAddress } from '../../network/addresses/ask-address.ts'
import { HostRules } from '../../network/addresses/host-rules.ts'
import { mintToken } from '../../network/git/github-app.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { type ClaimedStatus, claimStatuses, recordAttempt, type StatusOutcome } from './commit-status-table.ts'

const AT_ONCE = 8

/**
 * Reports the status of deployed commits to git hosts. It compares the reported status with the present one, so that
 * a worker that dies costs a repetition, and no deployment ever waits for it. Returns whether more may be due at once.
 */
export async function reportDueStatuses(context: StatusContext): Promise<boolean> {
  const due = await claimStatuses(context.database, AT_ONCE)
  await inParallel(due, AT_ONCE, async (claimed) => {
    const outcome = await reportStatus(context, claimed)
    if (outcome) await recordAttempt(context.database, claimed, outcome)
  })
  return due.length === AT_ONCE
}

export type StatusContext = Pick<WorkerContext, 'database' | 'config' | 'vault' | 'log'>

const TIMEOUT_SECONDS = 15

const WORDS: Readonly<Record<CommitState, string>> = {
  PENDING: 'is being deployed',
  SUCCESS: 'is deployed',
  FAILURE: 'was not deployed',
  CANCELLED: 'was not deployed: the operation was cancelled',
}

interface Credential {
  apiUrl: string
  token: string
  /** The operator chose the address, not a tenant. */
  isTrusted: boolean
}

/** One attempt. Null when it is too late to begin one. */
export async function reportStatus(context: StatusContext, claimed: ClaimedStatus): Promise<StatusOutcome | null> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000)
  // A worker that was paused must not put an old status over a newer one.
  const isLate = performance.now() - claimed.claimedAt > (CLAIM_SECONDS - 2 * TIMEOUT_SECONDS) * 1000
  if (isLate) return null
  try {
    const credential = await credentialFor(context, claimed, signal)
    if (credential === null) return refused('The git hook reports no statuses any more')
    return await send(context, claimed, credential, signal)
  } catch (error) {
    if (error instanceof BuildFailure) return { isTaken: false, mayRetry: !error.isFinal, error: error.message }
    return { isTaken: false, mayRetry: true, error: `No answer: ${(error as NodeJS.ErrnoException).code ?? 'late'}` }
  }
}

const refused = (error: string): StatusOutcome => ({ isTaken: false, mayRetry: false, error })

/** Read for each attempt, and kept nowhere. Null when the hook has none any more. */
async function credentialFor(
  { database, config, vault }: StatusContext,
  { source, installationId, project }: ClaimedStatus,
  signal: AbortSignal,
): Promise<Credential | null> {
  const { BERTH_GITHUB_APP_ID: appId, BERTH_GITHUB_PRIVATE_KEY: privateKey, BERTH_GITHUB_API_URL: apiUrl } = config
  if (installationId !== null) {
    if (!appId || !privateKey) return null
    const repository = project.split('/').at(-1) ?? ''
    const asked = { installationId, repository, permissions: { statuses: 'write' } }
    const token = await mintToken({ appId, privateKey, apiUrl }, asked, signal)
    return { apiUrl, token, isTrusted: true }
  }
  const gitHook = await database.gitHook.findUnique({ where: { id: source }, include: { account: true } })
  if (!gitHook?.statusApiUrl) return null
  const { statusToken } = vault
    .forAccount(gitHook.account)
    .openGitHook(gitHook.id, gitHook.sealedData) as GitHookSecrets
  if (statusToken === null) return null
  return { apiUrl: gitHook.statusApiUrl, token: statusToken, isTrusted: false }
}

async function send(
  context: StatusContext,
  claimed: ClaimedStatus,
  { apiUrl, token, isTrusted }: Credential,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const { database, config } = context
  const { provider, project, commitId: commit, state, appEnvId } = claimed
  const appEnv = await database.appEnv.findUnique({ where: { id: appEnvId }, include: { hosts: true } })
  const host = appEnv?.hosts.find(({ status }) => status === 'VALID')?.host
  const name = appEnv?.cliEnvName ?? appEnvId
  const report = { project, commit, state, context: `berth/${name}`, description: `${name} ${WORDS[state]}` }
  const targetUrl = host ? publicUrl(config, host) : null
  const { path, headers, body } = statusRequest(provider, token, { ...report, targetUrl })
  const url = new URL(`${apiUrl.replace(/\/$/, '')}${path}`)
  const isFree = isTrusted || config.BERTH_GIT_PRIVATE_HOSTS
  const found = await new HostRules(isFree).check(url)
  if (found.kind === 'unknown') return { isTaken: false, mayRetry: true, error: `${url.hostname} cannot be resolved` }
  if (found.kind === 'refused') return refused(`${url.hostname} is on ${found.inside}, where nothing is sent`)
  if (!isFree && url.protocol !== 'https:') return refused('Only https:// is allowed')
  const sent = { ...headers, 'content-type': 'application/json' }
  const { status } = await askAddress(url, found.addresses, { method: 'POST', headers: sent, body, signal })
  if (status >= 200 && status < 300) return { isTaken: true, mayRetry: false, error: null }
  return { isTaken: false, mayRetry: isWorthRetrying(status), error: `The git host answered ${status} to a status` }
}
