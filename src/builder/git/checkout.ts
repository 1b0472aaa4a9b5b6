import { lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isBranchName } from '../../domain/branch-name.ts'
import { BuildFailure, type BuildFailureReason } from '../../domain/build-failure.ts'
import { COMMIT_FORMAT } from '../../domain/git-commit.ts'
import type { SourceTree } from '../archive/source-tree.ts'
import { COMMIT, megabytes, type SourceLimits } from '../limits.ts'
import { type OutputFile, ProgramFailure } from '../program.ts'
import type { SourceReader } from '../source-reader/source-reader.ts'
import { type Listed, maxListingBytes } from '../tree/listed-tree.ts'
import { type AddressRules, parseRepositoryUrl, pinAddress } from './git-address.ts'
import { runGit } from './git-program.ts'
import { fetchSubmodules } from './submodules.ts'

const SIZE_LOOKS_MS = 500
const BRANCHES_SHOWN = 5

export interface GitRequest {
  url: string
  branch: string | null
  /** A commit that was built before; null: the branch's newest. */
  commit: string | null
  /** In place of the branch. */
  ref?: string
  /** Value of an Authorization header, for this repository only. */
  authorization: string | null
}

export interface GitTools {
  limits: SourceLimits
  addresses: AddressRules
  signal: AbortSignal
}

/** Requests refuse such branches; a version that was recorded earlier may hold one. Throws SOURCE_REFUSED. */
export function assertBranchName(branch: string): void {
  if (isBranchName(branch)) return
  throw new BuildFailure('SOURCE_REFUSED', `${JSON.stringify(branch.slice(0, 120))} is not a branch's name`)
}

/** A repository to query, with settings for it alone. */
export async function openRepository(request: GitRequest, directory: string, tools: GitTools) {
  const url = parseRepositoryUrl(request.url)
  if (request.branch !== null) assertBranchName(request.branch)
  if (request.commit !== null && !COMMIT.test(request.commit)) {
    throw new BuildFailure('SOURCE_REFUSED', 'The commit is not a full commit id')
  }
  const pinned = await pinAddress(url, tools.addresses)
  const settings: Record<string, string> = { ...pinned }
  if (request.authorization) settings['http.extraHeader'] = `Authorization: ${request.authorization}`
  const run = (args: readonly string[], signal = tools.signal, outputFile?: OutputFile) =>
    runGit(args, { directory, settings, signal, ...(outputFile ? { outputFile } : {}) }).catch((error: unknown) => {
      throw error instanceof ProgramFailure ? failureOf(error) : error
    })
  return { url: url.href, run }
}

type Repository = Awaited<ReturnType<typeof openRepository>>

/** The commit to build, without fetching it. */
export async function resolveCommit(repository: Repository, request: GitRequest): Promise<string> {
  const { branch, commit } = request
  if (commit) return commit
  const ref = request.ref ?? (branch === null ? 'HEAD' : `refs/heads/${branch}`)
  const listed = await repository.run(['ls-remote', '--', repository.url, ref])
  const found = listed.split('\n').map((line) => line.split('\t'))
  const id = found.find(([, name]) => name === ref)?.[0] ?? ''
  if (COMMIT.test(id)) return id
  if (request.ref) throw new BuildFailure('SOURCE_NOT_FOUND', `The repository has no ${request.ref}`)
  throw branch === null
    ? new BuildFailure('SOURCE_NOT_FOUND', 'The repository has no commits')
    : new BuildFailure('SOURCE_NOT_FOUND', `The repository has no branch ${branch}${await otherBranches(repository)}`)
}

/** For a mistyped name: the ones that are there. */
async function otherBranches(repository: Repository): Promise<string> {
  const listed = await repository.run(['ls-remote', '--heads', '--', repository.url])
  const names = listed.split('\n').flatMap((line) => line.split('\trefs/heads/')[1] ?? [])
  const known = names.filter(isBranchName)
  if (known.length === 0) return '; it has none, or the address is not a repository’s'
  const shown = known.slice(0, BRANCHES_SHOWN)
  if (known.length > shown.length) return `; it has ${shown.join(', ')} and others`
  return `; it has ${shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown[0]}`
}

/** What a commit is fetched with. */
export interface CheckOutTools extends GitTools {
  reader: SourceReader
  /** The credential for another repository of the same host; null for none. */
  authorize: (url: string) => Promise<string | null>
}

/**
 * Fetches one commit and its submodules, without history, and writes their files into the folder `tree`. What git says about
 * the files is read by the source reader. Throws BuildFailure.
 */
export async function checkOut(
  repository: Repository,
  commit: string,
  directory: string,
  tools: CheckOutTools,
): Promise<SourceTree> {
  const tree = join(directory, 'tree')
  await mkdir(tree)
  const { limits, signal, reader } = tools
  const { listed, printed } = await place(repository, commit, { directory, folder: 'tree', ...tools })
  const absent = await fetchSubmodules(
    { url: repository.url, path: '', listed },
    {
      tree,
      limits,
      async addresses({ listed: { submodules } }, gitmodules) {
        const settings = ['config', '--file', gitmodules, '-z', '--get-regexp', '^submodule\\..*\\.(path|url)$']
        // It ends with an error where it finds none, or cannot be read.
        const text = await repository.run(settings).catch(() => '')
        const paths = submodules.map(({ path }) => path)
        return reader.read('submodules', { text, paths }, signal)
      },
      async place(url, submoduleCommit, below, left) {
        const request = { url, branch: null, commit: submoduleCommit, authorization: await tools.authorize(url) }
        const submodule = await openRepository(request, directory, tools)
        const placed = await place(submodule, submoduleCommit, {
          directory,
          folder: `tree/${below}`,
          ...tools,
          limits: left,
        })
        return placed.listed
      },
    },
  )
  return { folder: tree, absent, commit: printed }
}

/** Puts one commit into a folder below the build directory. Returns its files, and what git prints of it. */
async function place(
  { run, url }: Repository,
  commit: string,
  { directory, folder, limits, signal, reader }: CheckOutTools & { directory: string; folder: string },
): Promise<{ listed: Listed; printed: string }> {
  await mkdir(join(directory, folder), { recursive: true })
  const git = ['--git-dir=repository', `--work-tree=${folder}`]
  await run(['init', '--quiet', '--bare', '--template=', '--', 'repository'])
  const size = watchSize(join(directory, 'repository'), limits, signal)
  try {
    const fetched = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head']
    await run([...git.slice(0, 1), ...fetched, '--', url, commit], size.signal)
    const tooMany = new BuildFailure('SOURCE_TOO_LARGE', `The source holds more than ${limits.maxFiles} files`)
    const listing = { path: join(directory, 'listing'), maxBytes: maxListingBytes(limits), tooLong: tooMany }
    await run([...git.slice(0, 1), 'ls-tree', '-r', '-l', '-z', '--full-tree', commit], signal, listing)
    const listed = await reader.read('checkListing', { file: listing.path, limits }, signal)
    const show = ['show', '--no-patch', '--no-show-signature', '--encoding=UTF-8', `--format=${COMMIT_FORMAT}`]
    const printed = await run([...git.slice(0, 1), ...show, commit, '--'], signal)
    await run([...git, 'checkout', '--quiet', '--force', '--detach', commit, '--'], signal)
    return { listed, printed }
  } finally {
    size.stop()
    for (const name of ['repository', 'listing']) await rm(join(directory, name), { recursive: true, force: true })
  }
}

/** Git cannot limit what it fetches, so its folder is measured while it grows. */
function watchSize(folder: string, { maxBytes }: SourceLimits, signal: AbortSignal) {
  const over = new AbortController()
  const tooLarge = new BuildFailure('SOURCE_TOO_LARGE', `The repository is larger than ${megabytes(maxBytes)}`)
  const timer = setInterval(() => {
    void sizeOf(folder).then((bytes) => bytes > maxBytes && over.abort(tooLarge))
  }, SIZE_LOOKS_MS)
  return { signal: AbortSignal.any([signal, over.signal]), stop: () => clearInterval(timer) }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map((file) =>
      lstat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Git's output is meant for a terminal, and may contain addresses; the causes are few. The first that fits counts. */
const CAUSES: readonly (readonly [pattern: RegExp, reason: BuildFailureReason, message: string])[] = [
  [
    /dumb http/,
    'SOURCE_REFUSED',
    'The repository is served as plain files, by git’s dumb HTTP protocol, which is not supported; serve it by smart HTTP, as git http-backend and every git host do',
  ],
  [
    /is this a git repository\?/,
    'SOURCE_NOT_FOUND',
    'The address answers, but not as a git repository; check it, and serve the repository by smart HTTP, as git http-backend does',
  ],
  [
    /Authentication failed|could not read Username|returned error: 40[13]/,
    'SOURCE_NOT_FOUND',
    'The repository does not exist, or needs an authorization that was not given',
  ],
  [/not found|returned error: 404|not our ref/i, 'SOURCE_NOT_FOUND', 'The repository or the commit does not exist'],
  [
    /redirect|returned error: 30\d/i,
    'SOURCE_REFUSED',
    'The repository’s host redirects to another address, which is not followed',
  ],
  [
    /^(?!.*unable to access).*(not allowed|fsck|[Ii]nvalid path|bad object|\.git)/s,
    'SOURCE_REFUSED',
    'The repository holds what git refuses to check out',
  ],
]

function failureOf({ words }: ProgramFailure): BuildFailure {
  const [, reason, message] = CAUSES.find(([pattern]) => pattern.test(words)) ?? [
    null,
    'SOURCE_UNREACHABLE' as const,
    'The repository’s host does not answer as one',
  ]
  return new BuildFailure(reason, message)
}
