import { isBranchName } from '../../domain/branch-name.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import { addressProblem, foreignTransport } from '../../domain/repository-address.ts'
import { type AddressAnswer, askAddress } from '../addresses/ask-address.ts'
import { HostRules } from '../addresses/host-rules.ts'

/** Of an answer; a longer one is cut, and says so. */
const MAX_BYTES = 2 * 1024 * 1024
const HEADS = 'refs/heads/'
const LENGTH_DIGITS = 4
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

export interface GitBranch {
  name: string
  commit: string
}

export interface GitBranches {
  branches: GitBranch[]
  /** The branch that HEAD stands for; null where there is none. */
  defaultBranch: string | null
  /** False when the answer was cut. */
  isComplete: boolean
}

interface Repository {
  url: string
  /** Value of an Authorization header. */
  authorization: string | null
  allowsPrivateHosts: boolean
  /** Fires at the deadline, at the latest. */
  signal: AbortSignal
}

/**
 * The branches of a repository, by git's smart HTTP protocol, of version 2 where the server has it. No program runs and nothing is
 * fetched. Follows no redirect. Throws BuildFailure.
 */
export async function listBranches({
  url,
  authorization,
  allowsPrivateHosts,
  signal,
}: Repository): Promise<GitBranches> {
  const problem = foreignTransport(url) ?? addressProblem(url)
  if (problem) throw refused(`The repository's address ${problem}`)
  const at = new URL(`${url.replace(/\/$/, '')}/info/refs?service=git-upload-pack`)
  const found = await new HostRules(allowsPrivateHosts).check(at)
  if (found.kind === 'unknown') throw unreachable(`The name ${at.hostname} cannot be resolved`)
  if (found.kind === 'refused')
    throw refused(`The host ${at.hostname} is on ${found.inside}, which BERTH_GIT_PRIVATE_HOSTS does not allow`)
  const headers = { 'git-protocol': 'version=2', ...(authorization ? { authorization } : {}) }
  const ask = async (to: URL, body?: string): Promise<Buffer> => {
    const post = { method: 'POST' as const, body, headers: { ...headers, ...POSTED } }
    const asked = { ...(body === undefined ? { headers } : post), signal, bodyBytes: MAX_BYTES }
    try {
      return bodyOf(await askAddress(to, found.addresses, asked))
    } catch (error) {
      if (error instanceof BuildFailure) throw error
      throw unreachable(signal.aborted ? 'The repository’s host did not answer in time' : NO_ANSWER)
    }
  }
  const first = readLines(await ask(at))
  if (first.lines[0]?.startsWith('# service=') && !first.lines.includes('version 2')) return branchesOfVersion0(first)
  if (!first.lines.includes('version 2')) throw notFound('The address answers, but not as a git repository')
  const upload = new URL(at.href.replace('/info/refs?service=git-upload-pack', '/git-upload-pack'))
  return branchesOfVersion2(readLines(await ask(upload, LS_REFS)))
}

const NO_ANSWER = 'The repository’s host does not answer as one'

const POSTED = {
  'content-type': 'application/x-git-upload-pack-request',
  accept: 'application/x-git-upload-pack-result',
}

const refused = (message: string) => new BuildFailure('SOURCE_REFUSED', message)
const unreachable = (message: string) => new BuildFailure('SOURCE_UNREACHABLE', message)
const notFound = (message: string) => new BuildFailure('SOURCE_NOT_FOUND', message)

function bodyOf({ status, body }: AddressAnswer): Buffer {
  if (status === 200) return body
  if (status >= 300 && status < 400)
    throw refused('The repository’s host redirects to another address, which is not followed')
  if ([401, 403, 404].includes(status))
    throw notFound('The repository does not exist, or needs an authorization that was not given')
  throw unreachable(`The repository’s host answers ${status}`)
}

/** A line of git's protocol: its length in four hexadecimal digits, itself included, then the text. */
const lineOf = (text: string): string =>
  `${(text.length + LENGTH_DIGITS).toString(16).padStart(LENGTH_DIGITS, '0')}${text}`

const LS_REFS = [
  lineOf('command=ls-refs\n'),
  '0001',
  lineOf('symrefs\n'),
  lineOf('ref-prefix HEAD\n'),
  lineOf(`ref-prefix ${HEADS}\n`),
  '0000',
].join('')

interface Lines {
  lines: string[]
  /** Whether the answer has its end. */
  isWhole: boolean
}

function readLines(body: Buffer): Lines {
  const lines: string[] = []
  let at = 0
  let isWhole = false
  while (at + LENGTH_DIGITS <= body.length) {
    const digits = body.toString('latin1', at, at + LENGTH_DIGITS)
    if (!/^[0-9a-f]{4}$/i.test(digits)) break
    const length = Number.parseInt(digits, 16)
    // Lengths below four are signs: the end of a part, or of all.
    isWhole = length === 0
    if (length < LENGTH_DIGITS) {
      at += LENGTH_DIGITS
      continue
    }
    if (at + length > body.length) break
    lines.push(body.toString('utf8', at + LENGTH_DIGITS, at + length).replace(/\n$/, ''))
    at += length
  }
  return { lines, isWhole }
}

/** `<commit> refs/heads/<name>`, and `<commit> HEAD symref-target:refs/heads/<name>`. */
function branchesOfVersion2({ lines, isWhole }: Lines): GitBranches {
  const head = lines.find((line) => /^\S+ HEAD /.test(line))
  const target = head?.split(' symref-target:')[1]?.split(' ')[0]
  return { branches: branchesIn(lines), defaultBranch: branchNamed(target), isComplete: isWhole }
}

/** The same, with the capabilities of the server behind the first one, after a zero byte. */
function branchesOfVersion0({ lines, isWhole }: Lines): GitBranches {
  const capabilities = lines.find((line) => line.includes('\0'))?.split('\0')[1] ?? ''
  const target = /(?:^| )symref=HEAD:(\S+)/.exec(capabilities)?.[1]
  const refs = lines.map((line) => line.split('\0')[0] ?? '')
  return { branches: branchesIn(refs), defaultBranch: branchNamed(target), isComplete: isWhole }
}

function branchNamed(ref: string | undefined): string | null {
  const name = ref?.startsWith(HEADS) ? ref.slice(HEADS.length) : ''
  return isBranchName(name) ? name : null
}

const branchesIn = (lines: readonly string[]): GitBranch[] =>
  lines.flatMap((line) => {
    const [commit = '', ref] = line.split(' ')
    const name = branchNamed(ref)
    return name !== null && COMMIT.test(commit) ? [{ name, commit }] : []
  })
