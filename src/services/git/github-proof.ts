import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { conflict, type DomainError, forbidden, invalidField, unavailable } from '../../domain/errors.ts'

const TIMEOUT_MS = 15_000
const RETRY_SECONDS = 10
const PAGE = 100
const MAX_PAGES = 10

const tokenAnswer = z.object({ access_token: z.string().min(1) })
const installationsAnswer = z.object({
  installations: z.array(
    z.object({ id: z.number(), account: z.object({ id: z.number(), login: z.string(), type: z.string() }) }),
  ),
})
const userAnswer = z.object({ id: z.number() })
const membershipAnswer = z.object({ state: z.string(), role: z.string() })

/** What a GitHub user gives to prove who they are: one of the two. */
export interface GitHubProof {
  /** Of the redirect after the App was installed, with user authorization turned on. */
  code?: string | undefined
  /** A user access token of the App. */
  userToken?: string | undefined
}

/**
 * Null when the proof's user owns the installation of the GitHub App: it is on their own GitHub account, or on an
 * organization whose owner they are. Seeing a repository of it is not enough, because a build may read all of them.
 */
export async function refuseInstallation(
  config: Config,
  installationId: string,
  proof: GitHubProof,
): Promise<DomainError | null> {
  try {
    const token = proof.userToken ?? (await exchange(config, proof.code ?? ''))
    const ask = gitHubAs(config, token, proof.userToken ? 'userToken' : 'code')
    const owner = await ownerOf(ask, installationId)
    if (owner && (await isOwnedBy(ask, owner))) return null
    return forbidden(
      'GIT_INSTALLATION_NOT_OWNED',
      `gitInstallationId: ${installationId} must be an installation of the GitHub App on your own GitHub account, or on an organization that you own`,
    )
  } catch (error) {
    return error as DomainError
  }
}

type Ask = <Answer extends z.ZodType>(path: string, answer: Answer) => Promise<z.output<Answer> | null>
type Owner = z.output<typeof installationsAnswer>['installations'][number]['account']

async function ownerOf(ask: Ask, installationId: string): Promise<Owner | null> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await ask(`/user/installations?per_page=${PAGE}&page=${page}`, installationsAnswer)
    const found = answer?.installations.find(({ id }) => String(id) === installationId)
    if (found) return found.account
    if ((answer?.installations.length ?? 0) < PAGE) break
  }
  return null
}

async function isOwnedBy(ask: Ask, { id, login, type }: Owner): Promise<boolean> {
  if (type === 'User') return (await ask('/user', userAnswer))?.id === id
  const membership = await ask(`/user/memberships/orgs/${encodeURIComponent(login)}`, membershipAnswer)
  return membership?.state === 'active' && membership.role === 'admin'
}

async function exchange(config: Config, code: string): Promise<string> {
  const { BERTH_GITHUB_CLIENT_ID: client_id, BERTH_GITHUB_CLIENT_SECRET: client_secret, BERTH_GITHUB_URL } = config
  if (!client_id || !client_secret)
    throw conflict(
      'GITHUB_APP_NOT_CONFIGURED',
      'A code needs BERTH_GITHUB_CLIENT_ID and BERTH_GITHUB_CLIENT_SECRET, which are not set: send proof.userToken instead',
    )
  const response = await request(`${BERTH_GITHUB_URL.replace(/\/$/, '')}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, code }),
  })
  const answer = tokenAnswer.safeParse(await response.json().catch(() => null))
  if (answer.success) return answer.data.access_token
  throw invalidField('proof.code', 'is not accepted by GitHub: it may have been used already, or have expired')
}

/** Null: GitHub knows nothing there, or does not show it to this user. */
const gitHubAs =
  ({ BERTH_GITHUB_API_URL }: Config, token: string, field: keyof GitHubProof): Ask =>
  async (path, answer) => {
    const response = await request(`${BERTH_GITHUB_API_URL.replace(/\/$/, '')}${path}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    })
    if (response.status === 401) throw invalidField(`proof.${field}`, 'is not accepted by GitHub')
    if (response.status === 403 || response.status === 404) return null
    const read = answer.safeParse(await response.json().catch(() => null))
    if (!response.ok || !read.success) throw unavailable(`GitHub's API answered ${response.status}`, RETRY_SECONDS)
    return read.data
  }

async function request(url: string, options: RequestInit): Promise<Response> {
  const headers = { 'user-agent': 'berth', ...options.headers }
  try {
    return await fetch(url, { ...options, headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch {
    throw unavailable('GitHub does not answer', RETRY_SECONDS)
  }
}
