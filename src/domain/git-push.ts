import { withoutTrailing } from './without-trailing.ts'

/** What a git hook keeps to itself. */
export interface GitHookSecrets {
  secret: string
  /** Holds, too, until `formerSecretUntil`. */
  formerSecret: string | null
  /** Sets statuses of commits, at the `statusApiUrl` of the hook alone. */
  statusToken: string | null
}

/** A push to a branch, of any git host. */
export interface GitPush {
  /** Every address that the host gives for the repository, as `repositoryKey` spells it. */
  repositories: readonly string[]
  /** The repository, as its host calls it; null where that could not be part of an address. */
  project: string | null
  branch: string
  /** Of the repository; null where the host does not say. */
  defaultBranch: string | null
  /** Null: the branch is new. */
  from: string | null
  /** Null: the branch was deleted. */
  commit: string | null
  /** Of the newest commit. */
  message: string
  /** Changed by the push; null where the host did not list all of them. */
  paths: readonly string[] | null
  pusher: string | null
  /** The host itself was asked to start nothing. */
  isSkipped: boolean
}

/** Outcome of a delivery for one environment. */
export interface GitDeliveryEnvironment {
  /** Null where a pull request got none. */
  appEnvId: string | null
  /** The app that the pull request is of; null for a push. */
  appId: string | null
  outcome: 'DEPLOYED' | 'DELETED' | 'IGNORED'
  /** Why nothing was done. */
  reason: string | null
  message: string | null
  operationId: string | null
}

const SKIP = /\[(skip ci|ci skip)\]/i

/** As CI services read the message of the newest commit. */
export const asksToSkip = ({ message, isSkipped }: Pick<GitPush, 'message' | 'isSkipped'>): boolean =>
  isSkipped || SKIP.test(message)

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/

/** Null for the zeros that stand for no commit. Undefined for what is no commit's id. */
export function commitOf(text: string): string | null | undefined {
  if (!COMMIT.test(text)) return undefined
  return /^0+$/.test(text) ? null : text
}

/** `user@host:path`, as hosts show it for SSH. */
const SSH_ADDRESS = /^(?:[^/@\s]+@)([^/:\s]+):(?!\/\/)(.+)$/
const HTTP_PORTS: ReadonlySet<string> = new Set(['', '80', '443'])

/**
 * One spelling for all addresses of a repository: `host/path`, in lower case, without `.git`. HTTP and HTTPS are one, and
 * so is SSH, whose port says nothing. Null for what is no address.
 */
export function repositoryKey(address: string): string | null {
  const [, sshHost, sshPath = ''] = SSH_ADDRESS.exec(address) ?? []
  if (sshHost) return keyOf(sshHost, sshPath)
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !['http:', 'https:', 'ssh:', 'git+ssh:'].includes(url.protocol)) return null
  const hasOwnPort = url.protocol.startsWith('http') && !HTTP_PORTS.has(url.port)
  return keyOf(hasOwnPort ? url.host : url.hostname, decoded(url.pathname))
}

function keyOf(host: string, path: string): string | null {
  const name = withoutTrailing(path.replace(/^\/+/, ''), '/').replace(/\.git$/i, '')
  return host === '' || name === '' ? null : `${host}/${name}`.toLowerCase()
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
