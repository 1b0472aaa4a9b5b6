import { join } from 'node:path'
import { uploadPath } from '../config/upload-files.ts'
import { BuildFailure } from '../domain/build-failure.ts'
import type { BuildSource } from '../domain/build-plan.ts'
import { type GitHubApp, mintAuthorization } from '../network/git/github-app.ts'
import type { SourceTree } from './archive/source-tree.ts'
import { checkOut, openRepository, resolveCommit } from './git/checkout.ts'
import type { SourceLimits } from './limits.ts'
import type { SourceReader } from './source-reader/source-reader.ts'

export interface SourceTools {
  limits: SourceLimits
  /** The folder of uploaded archives. */
  uploads: string
  allowsPrivateHosts: boolean
  gitHub: (GitHubApp & { cloneUrl: string }) | null
  signal: AbortSignal
}

/** A source that was located, and is not fetched yet. */
export interface LocatedSource {
  /** Equal for equal files, whenever they are fetched. */
  identity: string
  branch: string | null
  commit: string | null
  /** For people: what is being built. */
  about: string
  /** Fetches it below the folder; null when there are no files. */
  fetch(reader: SourceReader): Promise<SourceTree | null>
}

/** Determines exactly which source is meant, using an empty folder of its own. Throws BuildFailure. */
export async function locateSource(source: BuildSource, directory: string, tools: SourceTools): Promise<LocatedSource> {
  if (source.kind === 'git') return locateCommit(source, directory, tools)
  if (source.kind === 'upload') return locateUpload(source, directory, tools)
  const nothing = { branch: null, commit: null, fetch: async () => null }
  return { identity: 'none', about: 'the Dockerfile alone', ...nothing }
}

async function locateCommit(
  source: Extract<BuildSource, { kind: 'git' }>,
  directory: string,
  { limits, allowsPrivateHosts, gitHub, signal }: SourceTools,
): Promise<LocatedSource> {
  const authorization = await authorizationFor(source, gitHub, signal)
  const request = { ...source, authorization }
  const git = { limits, addresses: { allowsPrivate: allowsPrivateHosts }, signal }
  // An installation is of one owner: repositories of others are public, or not to be had.
  const owner = source.url.slice(0, source.url.lastIndexOf('/') + 1)
  const authorize = async (url: string) =>
    url.startsWith(owner) ? authorizationFor({ ...source, url }, gitHub, signal).catch(withoutAccess) : null
  const repository = await openRepository(request, directory, git)
  const commit = await resolveCommit(repository, request)
  return {
    identity: `git ${commit}`,
    branch: source.branch,
    commit,
    about: `commit ${commit.slice(0, 12)} of ${source.url}${source.branch ? ` (${source.branch})` : ''}`,
    fetch: (reader) => checkOut(repository, commit, directory, { ...git, reader, authorize }),
  }
}

/** A repository that the installation may not read may be public. */
function withoutAccess(error: unknown): null {
  if (error instanceof BuildFailure && error.reason === 'SOURCE_NOT_FOUND') return null
  throw error
}

/** The token goes only to the host that issued it. */
function authorizationFor(
  { url, installationId }: Extract<BuildSource, { kind: 'git' }>,
  gitHub: SourceTools['gitHub'],
  signal: AbortSignal,
): Promise<string | null> {
  if (!installationId || !gitHub || !url.startsWith(`${gitHub.cloneUrl.replace(/\/$/, '')}/`))
    return Promise.resolve(null)
  const repository =
    url
      .split('/')
      .at(-1)
      ?.replace(/\.git$/, '') ?? ''
  return mintAuthorization(gitHub, installationId, repository, signal)
}

async function locateUpload(
  { storageKey, sha256 }: Extract<BuildSource, { kind: 'upload' }>,
  directory: string,
  { uploads, limits, signal }: SourceTools,
): Promise<LocatedSource> {
  return {
    identity: `upload ${sha256}`,
    branch: null,
    commit: null,
    about: `the upload ${storageKey}`,
    async fetch(reader) {
      const tree = join(directory, 'tree')
      const archive = uploadPath(uploads, storageKey, sha256)
      const absent = await reader.read('unpack', { archive, tree, limits }, signal)
      return { folder: tree, absent, commit: null }
    },
  }
}
