import { drawOf } from './draw.ts'
import type { Findings } from './findings.ts'
import { type GraphQLCase, graphqlCase, ROOT_FIELDS } from './graphql-cases.ts'
import { inParallel } from './in-parallel.ts'
import { OPERATIONS, restCase } from './rest-cases.ts'
import type { SocketClient } from './socket-client.ts'
import type { Targets } from './targets.ts'
import { type Answer, faultOf, graphqlFault, PATIENCE_MS, problemFault, SILENCE_MS, SLOWEST_MS } from './verdict.ts'
import { asCurl, type Sent, send, type Wire } from './wire.ts'

export interface FuzzTools {
  wire: Wire
  targets: Targets
  sockets: SocketClient
  findings: Findings
  seed: number
}

export interface FuzzCounts {
  statuses: Map<number | string, number>
  slowestMs: number
}

const CONCURRENCY = 8
const RENEW_EVERY = 400
/** BERTH_MAX_WAIT_SECONDS of the Berth under test. */
const WAIT_MS = 1_000

/** So many requests have every operation of both APIs once. */
export const EACH_ONCE = 2 * Math.max(OPERATIONS.length, ROOT_FIELDS.length)

/** Sends this many requests to both APIs; the seed and its number determine each. */
export async function fuzz(tools: FuzzTools, requests: number, from = 0): Promise<FuzzCounts> {
  const counts: FuzzCounts = { statuses: new Map(), slowestMs: 0 }
  await inParallel(requests, CONCURRENCY, async (offset) => {
    const index = from + offset
    if (index % RENEW_EVERY === RENEW_EVERY - 1) await tools.targets.renew()
    const [label, ms] = index % 2 === 0 ? await overRest(tools, index) : await overGraphQL(tools, index)
    counts.statuses.set(label, (counts.statuses.get(label) ?? 0) + 1)
    counts.slowestMs = Math.max(counts.slowestMs, ms)
  })
  return counts
}

async function overRest(tools: FuzzTools, index: number): Promise<[number, number]> {
  const { wire, targets, findings, seed } = tools
  const sent = restCase(drawOf(seed, index), targets, Math.floor(index / 2))
  const ask = () => send(wire, sent)
  const answer = await unlessStarved(await ask(), ask)
  if (answer.status === 200) targets.learn(answer.text)
  const what = restFault(sent, answer)
  if (what)
    findings.add({ phase: 'REST', index, what, replay: `${asCurl(wire, sent)}\n    → ${answer.text.slice(0, 600)}` })
  return [answer.status, answer.ms]
}

/** On a busy machine anything may be slow a few times. What is slow for a reason of its own is slow each time. */
export async function unlessStarved<Timed extends { status: number; ms: number }>(
  first: Timed,
  again: () => Promise<Timed>,
): Promise<Timed> {
  let answer = first
  for (let repeat = 0; repeat < 4 && answer.status > 0 && answer.ms > SLOWEST_MS; repeat += 1) answer = await again()
  return answer
}

export function restFault(sent: Sent, answer: Answer): string | null {
  const said = `${sent.path}${sent.body ?? ''}${JSON.stringify(sent.headers)}`
  const waits = /wait/i.test(String(sent.headers.prefer ?? '')) ? WAIT_MS : 0
  if (answer.status === 0) return answer.text
  const fault = faultOf(answer, said, SLOWEST_MS + waits)
  if (fault) return fault
  // Node refuses what is no HTTP by itself, before there is a request that could have an id.
  if (!answer.headers['x-request-id'])
    return answer.text === '' && answer.status < 500 ? null : 'answers without a request id'
  return sent.method === 'HEAD' || sent.path.startsWith('/graphql') ? null : problemFault(answer)
}

async function overGraphQL(tools: FuzzTools, index: number): Promise<[string, number]> {
  const draw = drawOf(tools.seed, index)
  const created = graphqlCase(draw, tools.targets, Math.floor(index / 2))
  const transport =
    created.kind === 'subscription'
      ? draw.one(['sse', 'ws'] as const)
      : draw.one(['post', 'post', 'get', 'sse', 'ws'] as const)
  const ask = async () => {
    const began = performance.now()
    const received = await TRANSPORTS[transport](tools, created)
    return { ...received, ms: performance.now() - began }
  }
  const { status, text, ms } = await unlessStarved(await ask(), ask)
  tools.targets.learn(text)
  const waits = JSON.stringify(created).includes('waitSeconds') ? WAIT_MS : 0
  const answer = { status, headers: {}, text, ms }
  // Silence is an answer for subscriptions that resume from a cursor: nothing has happened since.
  const shape = text === '' && created.kind === 'subscription' ? null : graphqlFault(text)
  const what = status === 0 ? text : (faultOf(answer, JSON.stringify(created), SLOWEST_MS + waits) ?? shape)
  if (what) {
    const replay = `${JSON.stringify(created).slice(0, 1_500)}\n    → ${text.slice(0, 600)}`
    tools.findings.add({ phase: `GraphQL over ${transport}`, index, what, replay })
  }
  return [`${transport} ${status}`, ms]
}

type Received = Pick<Answer, 'status' | 'text'>

export const TRANSPORTS: Record<
  'post' | 'get' | 'sse' | 'ws',
  (tools: FuzzTools, created: GraphQLCase) => Promise<Received>
> = {
  post: ({ wire }, { kind: _kind, ...body }) =>
    send(wire, { method: 'POST', path: '/graphql', headers: {}, body: JSON.stringify(body) }),
  get({ wire }, { kind: _kind, query, variables, operationName }) {
    const search = new URLSearchParams({
      query,
      variables: JSON.stringify(variables),
      operationName: operationName ?? 'Q',
    })
    // What is too long for a header goes the other way.
    const isLong = search.toString().length > 12_000
    if (isLong) return TRANSPORTS.post({ wire } as FuzzTools, { kind: 'query', query, variables })
    return send(wire, { method: 'GET', path: `/graphql?${search}`, headers: {} })
  },
  sse: ({ wire }, created) => firstOverSse(wire, created),
  ws: ({ sockets }, created) => sockets.first(created),
}

/** The first answer of a stream, which is then closed; silence for a while counts as an answer too. */
async function firstOverSse({ port, token }: Wire, { kind, ...body }: GraphQLCase): Promise<Received> {
  const left = new AbortController()
  const leave = setTimeout(() => left.abort(), kind === 'subscription' ? SILENCE_MS : PATIENCE_MS)
  let text = ''
  let status = 0
  try {
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: token },
      body: JSON.stringify(body),
      signal: left.signal,
    })
    status = response.status
    const isStream = /event-stream/.test(response.headers.get('content-type') ?? '')
    if (!isStream) return { status, text: await response.text() }
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (/\n\n/.test(text.replace(/^:.*\n\n/gm, ''))) break
      // What has begun to come is waited for.
      if (text.includes('data:')) leave.refresh()
    }
  } catch (error) {
    if (!left.signal.aborted) return { status: 0, text: `broken stream: ${error}` }
    if (kind !== 'subscription') return { status: 0, text: 'a stream sent nothing' }
  } finally {
    clearTimeout(leave)
    left.abort()
  }
  // Not by a regular expression's lines, which end at more characters than those of a stream.
  const data = text.split('\n').find((line) => line.startsWith('data: '))
  return { status: status || 200, text: data?.slice(6) ?? '' }
}
