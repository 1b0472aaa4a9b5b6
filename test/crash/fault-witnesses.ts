import { readFileSync } from 'node:fs'
import type { Subject } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'

const ANSWER_MS = 15_000

/** What everything that speaks of a fault says. */
export interface Witnesses {
  /** Of each process: its status, and its parts with which something is wrong. */
  readyz: string[]
  /** States of `berth_part_problem`. */
  metrics: string[]
  /** Of the environment that runs, and of the function that sleeps. */
  status: string
  sleeping: string
  write: string
  /** The last operation of the environment that runs. */
  operation: string
  upload: string
  page: string
  wakePage: string
}

interface Subjects {
  running: Subject
  asleep: Subject
  /** Where a source may be sent to. */
  uploadUrl: string
}

export async function readWitnesses(
  cluster: TestCluster,
  { running, asleep, uploadUrl }: Subjects,
): Promise<Witnesses> {
  const rest = (method: string, path: string, body?: object) => askApi(cluster, method, `/api/public/v1${path}`, body)
  const [readyz, metrics, status, sleeping, write, operation, upload, page, wakePage] = await Promise.all([
    Promise.all(cluster.processes.map((one) => readyOf(one.name, one.port))),
    readMetrics(cluster),
    rest('GET', `/app-env/status?appEnvId=${running.appEnvId}`).then(statusIn),
    rest('GET', `/app-env/status?appEnvId=${asleep.appEnvId}`).then(statusIn),
    rest('POST', '/app-env/redeploy', { appEnvId: running.appEnvId }).then(refusalIn),
    rest('GET', `/operations?appEnvId=${running.appEnvId}&limit=1`).then(operationIn),
    uploadTo(cluster, uploadUrl),
    pageOf(cluster, running.host),
    pageOf(cluster, asleep.host),
  ])
  return { readyz, metrics, status, sleeping, write, operation, upload, page, wakePage }
}

interface Answer {
  status: number
  text: string
}

async function askApi(cluster: TestCluster, method: string, path: string, body?: object): Promise<Answer> {
  return fetched(`http://127.0.0.1:${cluster.ports.api[0]}${path}`, {
    method,
    headers: { authorization: cluster.token, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
}

async function fetched(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return { status: 0, text: (error as Error).message }
  }
}

interface Ready {
  degraded: string[]
  parts: Record<string, { state: string; ready: boolean; reason: string | null; nextStep: string | null }>
}

async function readyOf(name: string, port: number): Promise<string> {
  const { status, text } = await fetched(`http://127.0.0.1:${port}/readyz`, {})
  if (status === 0) return `${name} does not answer`
  const { degraded, parts } = JSON.parse(text) as Ready
  return `${name} ${status}${degraded.map((part) => ` ${part}=${parts[part]?.state} “${parts[part]?.reason}”`).join(',')}`
}

/** As a monitor does, which goes on while the database is away. */
export const readMetrics = async (cluster: TestCluster): Promise<string[]> =>
  problemsIn((await askApi(cluster, 'GET', '/metrics')).text)

const problemsIn = (text: string): string[] =>
  [...text.matchAll(/^berth_part_problem\{part="(\w+)",state="(\w+)"\} 1/gm)].map(
    ([, part, state]) => `${part}=${state}`,
  )

const jsonOf = (text: string): Record<string, unknown> => (text.startsWith('{') ? JSON.parse(text) : { detail: text })

function refusalIn({ status, text }: Answer): string {
  const { code, reason } = jsonOf(text)
  return status >= 400 || status === 0 ? `${status} ${code ?? ''} ${reason ?? ''}`.trim() : `${status}`
}

function statusIn(answer: Answer): string {
  if (answer.status !== 200) return refusalIn(answer)
  const { status, health, observedReason, warnings } = jsonOf(answer.text)
  const said = [observedReason, ...(warnings as string[])].filter(Boolean).map((text) => `“${text}”`)
  return [`${status}/${health}`, ...said].join(' ')
}

function operationIn(answer: Answer): string {
  if (answer.status !== 200) return refusalIn(answer)
  const [last] = jsonOf(answer.text).operations as { status: string; reason: string | null; message: string | null }[]
  return last?.message ? `${last.status} ${last.reason} “${last.message}”` : (last?.status ?? 'none')
}

/** More than the disk of a full data directory takes. */
async function uploadTo(cluster: TestCluster, uploadUrl: string): Promise<string> {
  const { pathname, search } = new URL(uploadUrl)
  const body = Buffer.alloc(4 * 1_048_576, 7)
  return refusalIn(
    await fetched(`http://127.0.0.1:${cluster.ports.api[0]}${pathname}${search}`, { method: 'PUT', body }),
  )
}

async function pageOf(cluster: TestCluster, host: string): Promise<string> {
  const { get } = await import('node:http')
  const { promise, resolve } = Promise.withResolvers<string>()
  const headers = { host, accept: 'text/html' }
  const request = get(
    { port: cluster.ports.ingress[0], host: '127.0.0.1', headers, timeout: ANSWER_MS },
    (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        const title = /<h1>(.*?)<\/h1>/.exec(text)?.[1]
        resolve(
          `${response.statusCode}${response.headers['x-berth-error'] ? ` ${response.headers['x-berth-error']} “${title}”` : ''}`,
        )
      })
    },
  )
  request.on('timeout', () => request.destroy(new Error('no answer in time')))
  request.on('error', (error) => resolve(error.message))
  return promise
}

export interface Logged {
  lines: number
  stacks: number
  said: string[]
}

/** What the processes have logged since the position; call it without to get one. */
export function readLogs(cluster: TestCluster, since: readonly number[] = []): { at: number[]; logged: Logged } {
  const texts = cluster.processes.map(({ logFile }) => readFileSync(logFile, 'utf8'))
  const lines = texts.flatMap((text, index) => text.slice(since[index] ?? 0).split('\n')).filter((line) => line !== '')
  const said = lines.flatMap((line) => (line.startsWith('{') ? [String(JSON.parse(line).msg)] : []))
  return {
    at: texts.map(({ length }) => length),
    logged: {
      lines: lines.length,
      stacks: lines.filter((line) => /"stack":"|^\s+at /.test(line)).length,
      said: [...new Set(said)],
    },
  }
}
