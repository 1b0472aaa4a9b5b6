import { setTimeout as pause } from 'node:timers/promises'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'

/** What a client sees of an answer. */
export interface Reply {
  status: number
  text: string
  /** By its header, or in GraphQL by the field of the payload. */
  isReplay: boolean
  operationId: string | null
}

/** One write, ready to be sent through any api process, with any key and options. */
export type Write = (api: number, options: WriteOptions) => Promise<Reply>

export interface WriteOptions {
  key?: string
  expected?: number
  waitSeconds?: number
  token?: string
  /** Fields of the input that replace those of the write. */
  change?: Record<string, unknown>
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Through REST: the options are headers. */
export function overRest(cluster: TestCluster, method: string, path: string, body: Record<string, unknown>): Write {
  return async (api, { key, expected, waitSeconds, token = cluster.token, change }) => {
    const response = await fetch(`${addressOf(cluster, api)}/api/public/v1${path}`, {
      method,
      headers: given({
        authorization: token,
        'content-type': 'application/json',
        'idempotency-key': key,
        'if-match': expected === undefined ? undefined : `"v${expected}"`,
        prefer: waitSeconds === undefined ? undefined : `wait=${waitSeconds}`,
      }) as Record<string, string>,
      body: JSON.stringify({ ...body, ...change }),
    })
    return {
      status: response.status,
      text: await response.text(),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
      operationId: /op_\w+/.exec(response.headers.get('operation-location') ?? '')?.[0] ?? null,
    }
  }
}

const REPLAYED = /,?"idempotentReplayed":(true|false)/

/** The status that REST would have, so that both APIs are compared alike. */
const STATUS: Record<string, number> = {
  INVALID_INPUT: 400,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  IDEMPOTENCY_MISMATCH: 422,
  UNAVAILABLE: 503,
}

/** Through GraphQL: the options are fields of the input. */
export function overGraphQL(
  cluster: TestCluster,
  mutation: string,
  payload: string,
  input: Record<string, unknown>,
): Write {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`
  const query = `mutation Do($input: ${type}!) { ${mutation}(input: $input) { ${payload} idempotentReplayed } }`
  return async (api, { key, expected, waitSeconds, token = cluster.token, change }) => {
    const options = given({ idempotencyKey: key, expectedVersion: expected, waitSeconds })
    const response = await fetch(`${addressOf(cluster, api)}/graphql`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input: { ...input, ...options, ...change } } }),
    })
    const text = await response.text()
    const { errors } = JSON.parse(text) as { errors?: { extensions: { code: string } }[] }
    const code = errors?.[0]?.extensions.code
    return {
      status: code ? (STATUS[code] ?? 500) : response.status,
      // Whether it is a replay is compared separately; everything else has to be equal.
      text: text.replace(REPLAYED, '').replace(/"requestId":"[^"]*"/, ''),
      isReplay: REPLAYED.exec(text)?.[1] === 'true',
      operationId: /op_\w+/.exec(text)?.[0] ?? null,
    }
  }
}

const addressOf = ({ ports }: TestCluster, api: number) => `http://127.0.0.1:${ports.api[api % ports.api.length]}`

/** The same write through both APIs. */
export const deployImage = (cluster: TestCluster, appEnvId: string): Record<'REST' | 'GraphQL', Write> => ({
  REST: overRest(cluster, 'POST', '/app-env/deploy-image', { appEnvId, image: cluster.image }),
  GraphQL: overGraphQL(cluster, 'deployImage', 'success message appEnv { id status } operation { id }', {
    appEnvId,
    image: cluster.image,
  }),
})

export const inParallel = (times: number, write: Write, options: WriteOptions): Promise<Reply[]> =>
  Promise.all(Array.from({ length: times }, (_, number) => untilTaken(() => write(number, options))))

const BUSY_SECONDS = 60

/** A starved machine refuses with 503 and changes nothing: then a client asks again, as it is told to. */
export async function untilTaken(write: () => Promise<Reply>): Promise<Reply> {
  for (const until = performance.now() + BUSY_SECONDS * 1000; ; await pause(200)) {
    const reply = await write()
    if (reply.status !== 503 || performance.now() > until) return reply
  }
}

export function expectThat(holds: boolean, what: string, seen: unknown): asserts holds {
  if (!holds) throw new Error(`${what}; seen: ${JSON.stringify(seen)}`)
}

/** All of them, and which there are when they are not. */
export function expectEqual(replies: readonly Reply[], what: string): Reply {
  const different = [...new Set(replies.map(({ status, text }) => `${status} ${text}`))]
  const [first] = replies
  expectThat(first !== undefined && different.length === 1, `${what} should have one answer`, different)
  return first
}

let created = 0

/** No other call of this run has it. */
export const newKey = (noun: string): string => {
  created += 1
  return `${noun}-${process.pid}-${created}`
}
