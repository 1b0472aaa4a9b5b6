import { type Backoff, backoff, withJitter } from './backoff.ts'

/** What a git host shows beside a commit. */
export type CommitState = 'PENDING' | 'SUCCESS' | 'FAILURE' | 'CANCELLED'

export interface CommitStatusReport {
  /** Of the repository, as its host calls it: `owner/name`, at GitLab a number. */
  project: string
  commit: string
  state: CommitState
  /** Name of the status within its commit: a later status of the same name replaces it. */
  context: string
  description: string
  /** Where more is to be seen; null where nothing is. */
  targetUrl: string | null
}

export interface StatusRequest {
  /** Below the address of the host's API. */
  path: string
  headers: Record<string, string>
  body: string
}

/** For one attempt. It is not renewed: an attempt ends, or is not begun, well before. */
export const CLAIM_SECONDS = 60

type Provider = 'GITHUB' | 'GITLAB' | 'GITEA'

const MAX_DESCRIPTION_LENGTH = 140

const STATES: Readonly<Record<Provider, Readonly<Record<CommitState, string>>>> = {
  GITHUB: { PENDING: 'pending', SUCCESS: 'success', FAILURE: 'failure', CANCELLED: 'error' },
  GITEA: { PENDING: 'pending', SUCCESS: 'success', FAILURE: 'failure', CANCELLED: 'error' },
  GITLAB: { PENDING: 'running', SUCCESS: 'success', FAILURE: 'failed', CANCELLED: 'canceled' },
}

const PROJECTS: Readonly<Record<Provider, RegExp>> = {
  GITHUB: /^[\w.-]{1,100}\/[\w.-]{1,100}$/,
  GITEA: /^[\w.-]{1,100}\/[\w.-]{1,100}$/,
  GITLAB: /^\d{1,20}$/,
}

/** Whether a host's name for a repository is one that can be put into a path. */
export const isProject = (provider: Provider, project: string): boolean =>
  PROJECTS[provider].test(project) && !project.split('/').some((part) => part === '.' || part === '..')

/** The call of a git host's API that sets a status. */
export function statusRequest(provider: Provider, token: string, report: CommitStatusReport): StatusRequest {
  const { project, commit, state, context, targetUrl } = report
  const description = report.description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()
  const url = targetUrl === null ? {} : { target_url: targetUrl }
  const said = { state: STATES[provider][state], description, ...url }
  if (provider === 'GITLAB')
    return {
      path: `/projects/${project}/statuses/${commit}`,
      headers: { 'private-token': token },
      body: JSON.stringify({ ...said, name: context }),
    }
  const authorization = provider === 'GITHUB' ? `Bearer ${token}` : `token ${token}`
  return {
    path: `/repos/${project}/statuses/${commit}`,
    headers: { authorization, ...(provider === 'GITHUB' ? { accept: 'application/vnd.github+json' } : {}) },
    body: JSON.stringify({ ...said, context }),
  }
}

/** Whether asking again may help. */
export const isWorthRetrying = (status: number): boolean => status >= 500 || status === 408 || status === 429

const PAUSES: Backoff = { first: 5, max: 600 }
const MAX_ATTEMPTS = 10

/** The seconds until the next attempt after so many failures; null when the status is given up. */
export const pauseAfter = (failures: number): number | null =>
  failures >= MAX_ATTEMPTS ? null : withJitter(backoff(PAUSES, failures - 1))
