import { createHash } from 'node:crypto'
import type { GitProvider, GitRequest } from '../../storage/secrets/git-signature.ts'
import { installationOf, nothing, type ParsedDelivery } from './payload-parts.ts'
import { readPullRequest } from './pull-request-payloads.ts'
import { readPush } from './push-payloads.ts'

/** A delivery whose sender is authenticated. */
export interface Delivered {
  provider: GitProvider
  /** What the host calls the delivery. */
  key: string
  event: string
  parsed: ParsedDelivery
  /** The installation of the GitHub App that it is about. */
  installationId: string | null
}

interface Headers {
  events: readonly string[]
  keys: readonly string[]
  /** Events of that name are pushes, unless the body says otherwise. */
  pushes: readonly string[]
  pullRequests: readonly string[]
}

const HEADERS: Readonly<Record<GitProvider, Headers>> = {
  GITHUB: {
    events: ['x-github-event'],
    keys: ['x-github-delivery'],
    pushes: ['push'],
    pullRequests: ['pull_request'],
  },
  GITEA: {
    events: ['x-gitea-event', 'x-forgejo-event'],
    keys: ['x-gitea-delivery', 'x-forgejo-delivery'],
    pushes: ['push'],
    pullRequests: ['pull_request', 'pull_request_sync'],
  },
  // The first stays the same when GitLab tries again.
  GITLAB: {
    events: ['x-gitlab-event'],
    keys: ['idempotency-key', 'webhook-id', 'x-gitlab-event-uuid'],
    pushes: ['Push Hook', 'System Hook'],
    pullRequests: ['Merge Request Hook', 'System Hook'],
  },
}

const MAX_HEADER_LENGTH = 200

/** The body itself, or what a form holds. */
export function payloadOf(contentType: string | undefined, body: Buffer): Buffer {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')) return body
  return Buffer.from(new URLSearchParams(body.toString('utf8')).get('payload') ?? '')
}

/** Reads what a proven delivery says. Without an id, the same body is the same delivery. */
export function readDelivery(provider: GitProvider, { header, payload }: GitRequest): Delivered {
  const { events, keys, pushes, pullRequests } = HEADERS[provider]
  const first = (names: readonly string[]) => names.flatMap((name) => header(name) || []).at(0)
  const event = (first(events) ?? 'unknown').slice(0, MAX_HEADER_LENGTH)
  const key = first(keys)?.slice(0, MAX_HEADER_LENGTH) ?? createHash('sha256').update(payload).digest('hex')
  const said = parsed(payload)
  const isOf = (names: readonly string[], kind: string) =>
    names.includes(event) && (provider !== 'GITLAB' || gitLabKind(said) === kind)
  const content = isOf(pushes, 'push')
    ? readPush(provider, said)
    : isOf(pullRequests, 'merge_request')
      ? readPullRequest(provider, said)
      : ofOther(event)
  return { provider, key, event, parsed: content, installationId: installationOf(said) }
}

const ofOther = (event: string): ParsedDelivery =>
  event === 'ping'
    ? nothing('PING', 'The git host reaches this installation')
    : nothing('OTHER_EVENT', `Nothing is done about the event ${event}`)

/** System hooks have many kinds of events under one name. */
const gitLabKind = (payload: unknown): unknown =>
  typeof payload === 'object' && payload !== null && 'object_kind' in payload ? payload.object_kind : null

function parsed(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch {
    return null
  }
}
