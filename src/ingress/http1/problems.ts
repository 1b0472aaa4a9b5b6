import type { Route } from '../routes/route-table.ts'

export type ProblemCode =
  | 'BAD_REQUEST'
  | 'HOST_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'REPLICAS_REFUSED'
  | 'BROKEN_ANSWER'
  | 'TABLE_NOT_LOADED'
  | 'NEVER_DEPLOYED'
  | 'STOPPED'
  | 'UPDATING'
  | 'NO_READY_REPLICA'
  | 'ANSWER_TIMEOUT'
  | 'TOO_MANY_CONNECTIONS'
  | 'TOO_MANY_FROM_CLIENT'
  | 'HOST_EXHAUSTED'
  | 'WAKE_FAILED'
  | 'WAKE_TIMEOUT'
  | 'CANNOT_WAKE'
  | 'QUEUE_FULL'

/** An answer of the ingress itself, with a text for the app's client and one for its operator. */
export class Problem {
  readonly status: number
  readonly code: ProblemCode
  readonly title: string
  readonly detail: string
  readonly retryAfterSeconds: number | null

  constructor(
    status: number,
    code: ProblemCode,
    title: string,
    detail: string,
    retryAfterSeconds: number | null = null,
  ) {
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const badRequest = (detail: string) => new Problem(400, 'BAD_REQUEST', 'This request cannot be routed', detail)

export const hostNotFound = (hostName: string) =>
  new Problem(
    404,
    'HOST_NOT_FOUND',
    'No app answers here',
    `No app environment has the host "${hostName}". Check the address for a typo; if the host is yours, add it to an environment.`,
  )

export const requestTimeout = () =>
  new Problem(408, 'REQUEST_TIMEOUT', 'The request came too slowly', 'The rest of the request did not arrive in time.')

export const payloadTooLarge = (limitBytes: number) =>
  new Problem(
    413,
    'PAYLOAD_TOO_LARGE',
    'The request is too large',
    `Bodies of up to ${Math.floor(limitBytes / 1_048_576)} MB are accepted here.`,
  )

export const headersTooLarge = () =>
  new Problem(431, 'HEADERS_TOO_LARGE', 'The headers are too large', 'Clearing the cookies of this site often helps.')

export const replicasRefused = ({ cliEnvName, targets }: Route) =>
  new Problem(
    502,
    'REPLICAS_REFUSED',
    'The app does not accept connections',
    `${targets.length === 1 ? 'The only replica' : `All ${targets.length} replicas`} of "${cliEnvName}" refused the connection. Does the app listen on the port it was given, on all addresses?`,
    2,
  )

export const brokenAnswer = ({ cliEnvName }: Route) =>
  new Problem(
    502,
    'BROKEN_ANSWER',
    'The app broke off its answer',
    `A replica of "${cliEnvName}" closed the connection or sent something that is not HTTP. Its logs may say why.`,
  )

export const tooManyConnections = ({ cliEnvName }: Route) =>
  new Problem(
    503,
    'TOO_MANY_CONNECTIONS',
    'Too many connections',
    `There are too many connections to "${cliEnvName}" at the moment. The app itself may be fine. Try again shortly.`,
    5,
  )

/** The app was asleep, and its container did not come up. */
export const wakeFailed = ({ cliEnvName, scaling }: Route, pauseMs: number) =>
  new Problem(
    502,
    'WAKE_FAILED',
    'This app did not start',
    `"${cliEnvName}" was asleep, and could not be started: ${scaling?.failure?.reason ?? 'no reason is known'}.`,
    Math.max(1, Math.ceil(pauseMs / 1000)),
  )

export const wakeTimeout = ({ cliEnvName }: Route, seconds: number) =>
  new Problem(
    503,
    'WAKE_TIMEOUT',
    'This app is still waking up',
    `"${cliEnvName}" was asleep, and no container of it was ready within ${seconds} s. It is being woken: try again shortly.`,
    5,
  )

/** The app is asleep, and the ingress cannot ask the workers for a container. */
export const cannotWake = ({ cliEnvName }: Route, isForbidden: boolean) =>
  new Problem(
    503,
    'CANNOT_WAKE',
    'This app cannot be woken',
    isForbidden
      ? `"${cliEnvName}" is asleep, and the ingress may not report requests for it: its database role lacks a right. The operator of this server finds the statement that grants it in /readyz.`
      : `"${cliEnvName}" is asleep, and the database, through which the ingress asks for a container, takes no reports. It is asked again every second.`,
    isForbidden ? 30 : 5,
  )

export const queueFull = ({ cliEnvName }: Route) =>
  new Problem(
    503,
    'QUEUE_FULL',
    'Too many requests wait',
    `As many requests as may wait for "${cliEnvName}" do already. Try again shortly.`,
    2,
  )

export const tooManyFromClient = (most: number) =>
  new Problem(
    429,
    'TOO_MANY_FROM_CLIENT',
    'Too many connections from your address',
    `One address may have ${most} connections or requests in progress here.`,
    5,
  )

/** The cause is in the log of the ingress: clients need not know what this machine has run out of. */
export const hostExhausted = () =>
  new Problem(
    503,
    'HOST_EXHAUSTED',
    'This server is out of connections',
    'The machine of the ingress can open no more connections at the moment. This is not a fault of the app.',
    5,
  )

export const tableNotLoaded = () =>
  new Problem(503, 'TABLE_NOT_LOADED', 'Starting up', 'The ingress does not know its routes yet. Try again shortly.', 2)

export const answerTimeout = ({ cliEnvName }: Route, seconds: number) =>
  new Problem(
    504,
    'ANSWER_TIMEOUT',
    'The app took too long',
    `"${cliEnvName}" did not begin to answer within ${seconds} s.`,
  )

/** Why a host that is known has no replica to ask. */
export function notServing({ cliEnvName, status, hasDeployment, keepsEnding }: Route): Problem {
  if (status === 'UPDATING') {
    const detail = hasDeployment
      ? `"${cliEnvName}" is being updated, and no replica is ready yet.`
      : `The first version of "${cliEnvName}" is being brought up.`
    return new Problem(503, 'UPDATING', 'One moment, please', detail, 3)
  }
  if (!hasDeployment) {
    const detail = `"${cliEnvName}" exists, but nothing has been deployed to it yet.`
    return new Problem(503, 'NEVER_DEPLOYED', 'Nothing is deployed here yet', detail)
  }
  if (status === 'STOPPED') {
    return new Problem(503, 'STOPPED', 'This app is stopped', `"${cliEnvName}" was stopped. Start it to bring it back.`)
  }
  if (keepsEnding) {
    const detail = `"${cliEnvName}" has ended each time that it was started again. Its logs say why.`
    return new Problem(503, 'NO_READY_REPLICA', 'This app keeps ending', detail, 30)
  }
  const detail = `"${cliEnvName}" should be running, but none of its replicas is ready. It is being repaired.`
  return new Problem(503, 'NO_READY_REPLICA', 'No replica is ready', detail, 5)
}
