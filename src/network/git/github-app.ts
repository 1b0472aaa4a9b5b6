import { createPrivateKey, createSign } from 'node:crypto'
import { z } from 'zod'
import { BuildFailure } from '../../domain/build-failure.ts'

/** A registered GitHub App, whose installations grant access to repositories. */
export interface GitHubApp {
  appId: string
  /** PEM. */
  privateKey: string
  /** `https://api.github.com`, or an Enterprise server's. */
  apiUrl: string
}

const JWT_SECONDS = 540
/** Clocks differ: GitHub refuses a token from the future. */
const CLOCK_SKEW_SECONDS = 60
const TIMEOUT_MS = 15_000

const PAGE = 100
const MAX_PAGES = 10
const MAX_NAME = 500

const repositoriesAnswer = z.object({
  total_count: z.int(),
  repositories: z.array(
    z.object({
      name: z.string().max(MAX_NAME),
      owner: z.object({ login: z.string().max(MAX_NAME) }),
      default_branch: z.string().max(MAX_NAME).nullish(),
      private: z.boolean(),
    }),
  ),
})

const tokenAnswer = z.object({ token: z.string().min(1) })

/** What a token may do, as GitHub names it: `{ contents: 'read' }`. */
type Permissions = Readonly<Record<string, string>>

interface Asked {
  installationId: string
  /** Null: all that the installation has. */
  repository: string | null
  permissions: Permissions
}

/** Reads one repository of an installation. Returns the value of an Authorization header. */
export async function mintAuthorization(
  app: GitHubApp,
  installationId: string,
  repository: string,
  signal: AbortSignal,
): Promise<string> {
  const token = await mintToken(app, { installationId, repository, permissions: { contents: 'read' } }, signal)
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
}

/** A token for one repository of an installation, or for all, and for an hour. It serves one call, and is never stored or logged. */
export async function mintToken(app: GitHubApp, asked: Asked, signal: AbortSignal): Promise<string> {
  const { installationId, repository } = asked
  if (!/^\d{1,20}$/.test(installationId)) {
    throw new BuildFailure('SOURCE_REFUSED', 'gitInstallationId must be the number of a GitHub App installation')
  }
  const response = await ask(app, asked, signal)
  if (!response.ok) {
    const isFinal = response.status >= 400 && response.status < 500 && response.status !== 429
    throw new BuildFailure(
      isFinal ? 'SOURCE_NOT_FOUND' : 'SOURCE_UNREACHABLE',
      isFinal
        ? `GitHub gives the installation ${installationId} no access${repository === null ? '' : ` to ${repository}`} (${response.status})`
        : `GitHub's API answers ${response.status}`,
    )
  }
  const answer = tokenAnswer.safeParse(await response.json().catch(() => null))
  if (!answer.success) throw new BuildFailure('SOURCE_UNREACHABLE', "GitHub's API gave no token")
  return answer.data.token
}

export interface InstallationRepository {
  namespace: string
  name: string
  defaultBranch: string | null
  isPrivate: boolean
}

/** The repositories that an installation may read, at most 1,000. Throws BuildFailure. */
export async function listRepositories(
  app: GitHubApp,
  installationId: string,
  signal: AbortSignal,
): Promise<{ repositories: InstallationRepository[]; isComplete: boolean }> {
  const permissions = { metadata: 'read' }
  const token = await mintToken(app, { installationId, repository: null, permissions }, signal)
  const repositories: InstallationRepository[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await repositoriesOf(app, token, page, signal)
    repositories.push(
      ...answer.repositories.map(({ name, owner, default_branch, private: isPrivate }) => ({
        namespace: owner.login,
        name,
        defaultBranch: default_branch ?? null,
        isPrivate,
      })),
    )
    if (repositories.length >= answer.total_count || answer.repositories.length === 0)
      return { repositories, isComplete: true }
  }
  return { repositories, isComplete: false }
}

async function repositoriesOf({ apiUrl }: GitHubApp, token: string, page: number, signal: AbortSignal) {
  const url = `${apiUrl.replace(/\/$/, '')}/installation/repositories?per_page=${PAGE}&page=${page}`
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'user-agent': 'berth' }
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const response = await fetch(url, { redirect: 'error', signal: bounded, headers }).catch(() => null)
  signal.throwIfAborted()
  const answer = repositoriesAnswer.safeParse(await response?.json().catch(() => null))
  if (response?.ok && answer.success) return answer.data
  const words = response ? `answers ${response.status}` : 'does not answer'
  throw new BuildFailure('SOURCE_UNREACHABLE', `GitHub's API ${words}`)
}

async function ask(
  app: GitHubApp,
  { installationId, repository, permissions }: Asked,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(`${app.apiUrl.replace(/\/$/, '')}/app/installations/${installationId}/access_tokens`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        authorization: `Bearer ${jwtOf(app)}`,
        accept: 'application/vnd.github+json',
        'content-type': 'application/json',
        'user-agent': 'berth',
      },
      body: JSON.stringify({ ...(repository === null ? {} : { repositories: [repository] }), permissions }),
    })
  } catch {
    signal.throwIfAborted()
    throw new BuildFailure('SOURCE_UNREACHABLE', "GitHub's API does not answer")
  }
}

function jwtOf({ appId, privateKey }: GitHubApp): string {
  const now = Math.floor(Date.now() / 1000)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iat: now - CLOCK_SKEW_SECONDS, exp: now + JWT_SECONDS, iss: appId }
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  const signature = createSign('RSA-SHA256').update(unsigned).sign(createPrivateKey(privateKey), 'base64url')
  return `${unsigned}.${signature}`
}
