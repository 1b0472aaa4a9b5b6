/** What happened to a pull request, as far as environments follow from it. PUSHED: its head is another commit. */
export type PullRequestAction = 'OPENED' | 'REOPENED' | 'PUSHED' | 'CLOSED'

/** What happened to a pull request, of any git host. */
export interface GitPullRequest {
  /** Every address that the host gives for the repository that it is to be merged into, as `repositoryKey` spells it. */
  repositories: readonly string[]
  /** That repository, as its host calls it; null where that could not be part of an address. */
  project: string | null
  number: number
  action: PullRequestAction
  /** Where its commits are. */
  branch: string
  targetBranch: string
  /** The head before a push; null where the host does not say. */
  from: string | null
  /** The head; null only of one that was closed. */
  commit: string | null
  title: string
  /** Its commits are in another repository, or the host does not say where. */
  isFork: boolean
  happenedAt: Date | null
  /** Name of the user who did it. */
  pusher: string | null
}

/** What an environment records of the pull request that it was made for. It stays as it was then. */
export interface PullRequestOf {
  number: number
  /** Where the host keeps its head, in the repository of the app. */
  ref: string
  isFork: boolean
}

/** The pull request of an environment; null for one that people made. The database column is untyped JSON. */
export const pullRequestOf = ({ pullRequest }: { pullRequest: unknown }): PullRequestOf | null =>
  pullRequest as PullRequestOf | null

/** Strangers wrote what is built and runs there: nothing of the account's is lent to it. */
export const isOfFork = (appEnv: { pullRequest: unknown }): boolean => pullRequestOf(appEnv)?.isFork ?? false

type Provider = 'GITHUB' | 'GITLAB' | 'GITEA'

/** Nothing of it comes from a delivery but the number. */
export const pullRequestRef = (provider: Provider, number: number): string =>
  provider === 'GITLAB' ? `refs/merge-requests/${number}/head` : `refs/pull/${number}/head`

export const pullRequestEnvName = (number: number): string => `pr-${number}`

const SKIP = /\[(skip preview|preview skip|skip ci|ci skip)\]/i

/** Render's words, besides those of CI services. */
export const asksForNoEnv = (title: string): boolean => SKIP.test(title)

/** What is known of an earlier arrival. */
type Arrival = Pick<GitPullRequest, 'action' | 'from' | 'commit' | 'happenedAt'>

/**
 * Whether something arrived before that happened later. Git hosts promise no order, and what was sent once can be sent
 * again. `arrived` is of the same pull request, newest first.
 */
export function isLate(arrival: Arrival, arrived: readonly Arrival[]): boolean {
  if (arrived.some((other) => compared(other, arrival) > 0)) return true
  // Of the same second, or of a host that does not say when: what is said decides, then the order of arrival.
  const same = arrived.filter((other) => compared(other, arrival) === 0)
  if (arrival.action === 'CLOSED' || arrival.action === 'REOPENED') return false
  if (same.find(({ action }) => action === 'CLOSED' || action === 'REOPENED')?.action === 'CLOSED') return true
  return same.some(({ from, commit }) => from !== null && from === arrival.commit && commit !== arrival.from)
}

const compared = ({ happenedAt: one }: Arrival, { happenedAt: other }: Arrival): number =>
  one === null || other === null ? 0 : Math.sign(one.getTime() - other.getTime())
