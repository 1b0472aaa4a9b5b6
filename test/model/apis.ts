import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Command } from './model.ts'

export type ApiName = 'REST' | 'GraphQL'

/** A command with what it names by number replaced by the ids that this installation gave. */
export interface Request {
  command: Command
  appEnvId: string
  /** Of the version that it names, if it does. */
  contentId: string | null
  /** Of the operation that it cancels. */
  operationId: string | null
  expected: number | null
  image: string
  /** Under which the call is repeated when Berth is too busy to answer. */
  key: string
}

export interface CallResult {
  answer: Answer
  /** The operation that was begun; null for none. */
  operationId: string | null
}

export type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>

const BUSY_PAUSE_MS = 500
const MAX_REPEATS = 20

/** Sends a command through an API until it is answered, and translates the answer for the model. */
export async function send(fetch: Fetch, token: string, api: ApiName, request: Request): Promise<CallResult> {
  for (let repeats = 0; ; repeats += 1) {
    const result = await (api === 'REST' ? overRest(fetch, token, request) : overGraphQL(fetch, token, request))
    if (result.answer.refusal !== 'UNAVAILABLE' || repeats === MAX_REPEATS) return result
    await pause(BUSY_PAUSE_MS)
  }
}

const PATHS = {
  deployImage: 'deploy-image',
  redeploy: 'redeploy',
  rollback: 'rollback',
  stop: 'stop',
  start: 'start',
  applyChanges: 'apply-changes',
} as const

const MUTATIONS = {
  deployImage: 'deployImage',
  redeploy: 'redeployAppEnv',
  rollback: 'rollbackAppEnv',
  stop: 'stopAppEnv',
  start: 'startAppEnv',
  applyChanges: 'applyChanges',
  configure: 'updateAppEnv',
  cancel: 'cancelOperation',
  delete: 'deleteAppEnv',
} as const

/** The fields of a write, which are the same in both APIs. */
function fieldsOf({ command, appEnvId, contentId, operationId, image }: Request): Record<string, unknown> {
  switch (command.name) {
    case 'cancel':
      return { operationId }
    case 'deployImage':
      return { appEnvId, image }
    case 'redeploy':
      return { appEnvId, ...(contentId ? { contentId } : {}) }
    case 'rollback':
      return { appEnvId, ...(contentId ? { targetContentId: contentId } : {}) }
    case 'configure': {
      const envVars = command.setting === '' ? [] : [{ name: 'SETTING', value: command.setting }]
      return { appEnvId, envVars, applyImmediately: command.applyImmediately }
    }
    default:
      return { appEnvId }
  }
}

async function overRest(fetch: Fetch, token: string, request: Request): Promise<CallResult> {
  const { command, appEnvId, expected, key } = request
  const [method, path] = methodAndPath(command, appEnvId)
  const hasBody = method === 'POST' || method === 'PUT'
  const response = await fetch(`/api/public/v1${path}`, {
    method,
    headers: {
      authorization: token,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(expected === null ? {} : { 'if-match': `"v${expected}"` }),
    },
    ...(hasBody ? { body: JSON.stringify(fieldsOf(request)) } : {}),
  })
  const body = await response.json()
  if (!response.ok) return refusal(body.code, body.reason, body)
  const operationId = /op_\w+/.exec(response.headers.get('operation-location') ?? '')?.[0] ?? null
  const revision = Number(/^"v(\d+)/.exec(response.headers.get('etag') ?? '')?.[1])
  if (command.name === 'read') return { answer: readAnswer(body, revision), operationId: null }
  if (command.name === 'delete') return { answer: {}, operationId }
  if (command.name === 'configure') return { answer: { status: body.status, revision }, operationId }
  return { answer: lifecycleAnswer(body), operationId: command.name === 'cancel' ? null : operationId }
}

function methodAndPath(command: Command, appEnvId: string): ['GET' | 'POST' | 'PUT' | 'DELETE', string] {
  const query = `?appEnvId=${appEnvId}`
  switch (command.name) {
    case 'read':
      return ['GET', `/app-env${command.whole ? '/status' : ''}${query}`]
    case 'configure':
      return ['PUT', '/app-env']
    case 'delete':
      return ['DELETE', `/app-env${query}`]
    case 'cancel':
      return ['POST', '/operation/cancel']
    default:
      return ['POST', `/app-env/${PATHS[command.name]}`]
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of either shape.
function readAnswer(body: any, revision: number): Answer {
  const seen = { status: body.status, current: body.currentVersion }
  return 'latestDeployment' in body ? { ...seen, latest: body.latestDeployment?.status ?? null } : { ...seen, revision }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of either API.
const lifecycleAnswer = ({ appEnv, rollbackInfo }: any): Answer => ({
  status: appEnv.status,
  ...(rollbackInfo ? { from: rollbackInfo.fromVersion, to: rollbackInfo.toVersion } : {}),
})

const READ = 'query Read($id: ID!) { appEnv(id: $id) { status currentVersion version } }'

const payloadOf = (command: Command) => {
  if (command.name === 'configure' || command.name === 'delete') return 'operation { id }'
  const info = command.name === 'rollback' ? 'rollbackInfo { fromVersion toVersion }' : ''
  return `appEnv { status } operation { id } ${info}`
}

async function overGraphQL(fetch: Fetch, token: string, request: Request): Promise<CallResult> {
  const { command, appEnvId, expected, key } = request
  const mutation = command.name === 'read' ? '' : MUTATIONS[command.name]
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`
  const query = mutation
    ? `mutation Do($input: ${type}!) { ${mutation}(input: $input) { ${payloadOf(command)} } }`
    : READ
  const input = {
    ...fieldsOf(request),
    idempotencyKey: key,
    ...(expected === null ? {} : { expectedVersion: expected }),
  }
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: mutation ? { input } : { id: appEnvId } }),
  })
  const { data, errors } = await response.json()
  if (errors) return refusal(errors[0].extensions?.code, errors[0].extensions?.reason, errors)
  if (!mutation) {
    const { status, currentVersion, version } = data.appEnv
    return { answer: { status, current: currentVersion, revision: version }, operationId: null }
  }
  const payload = data[mutation]
  const operationId = command.name === 'cancel' ? null : (payload.operation?.id ?? null)
  return { answer: payload.appEnv ? lifecycleAnswer(payload) : {}, operationId }
}

/** Answers that a state machine can give; anything else is a fault, and not to be explained. */
const EXPLICABLE = new Set(['CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'UNAVAILABLE'])

function refusal(code: string, reason: string | undefined, whole: unknown): CallResult {
  if (!EXPLICABLE.has(code)) throw new Error(`A fault instead of an answer: ${JSON.stringify(whole)}`)
  return { answer: { refusal: [code, reason].filter(Boolean).join(' ') }, operationId: null }
}
