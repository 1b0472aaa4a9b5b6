import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** What became of the requests. A write is known by the name that it gave. */
export interface Outcomes {
  answered: number
  /** Names of the apps whose making was answered, and the answers. */
  created: Map<string, string>
  /** Refused in words (503, or UNAVAILABLE), or never accepted: what they asked for must not have been done. */
  refused: string[]
  /** Connections that ended in the middle of an answer. */
  cut: string[]
  unexpected: string[]
}

interface Load {
  url: string
  token: string
  accountId: string
  outcomes: Outcomes
  /** True once the server has been asked to stop. */
  isStopping: () => boolean
}

export const noOutcomes = (): Outcomes => ({ answered: 0, created: new Map(), refused: [], cut: [], unexpected: [] })

const PAUSE_MS = 5
const isRefusal = (text: string) => /STOPPING|UNAVAILABLE/.test(text)
const appOf = (name: string, accountId: string) => ({ name, accountId, port: 80, useImage: true, image: 'nginx:1' })
const MUTATION = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name } } }'

/** Writes and reads by turns over one connection that is kept, until the server takes no more. */
export async function loadHttp(load: Load, api: 'rest' | 'graphql', number: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (let turn = 0; ; turn += 1) {
      const name = `${api} ${number} ${turn}`
      if (!(await exchange(load, agent, api, name, turn % 2 === 0))) return
      await sleep(PAUSE_MS)
    }
  } finally {
    agent.destroy()
  }
}

/** One request; false when there is no use in another. */
async function exchange(load: Load, agent: Agent, api: string, name: string, isWrite: boolean): Promise<boolean> {
  const { token, url, accountId, outcomes } = load
  const input = appOf(name, accountId)
  const [method, path, body] =
    api === 'graphql'
      ? isWrite
        ? ['POST', '/graphql', { query: MUTATION, variables: { input } }]
        : ['POST', '/graphql', { query: '{ me { email } }' }]
      : isWrite
        ? ['POST', '/api/public/v1/app', input]
        : ['GET', '/api/public/v1/apps?limit=5', undefined]
  const headers = { authorization: token, 'content-type': 'application/json' }
  const answer = await send(`${url}${path}`, { method: method as string, agent, headers }, body)
  if (answer.status === 200 && !/"errors"/.test(answer.text)) {
    outcomes.answered += 1
    if (isWrite) outcomes.created.set(name, answer.text)
    return true
  }
  if (answer.status === 503 || isRefusal(answer.text)) outcomes.refused.push(name)
  else if (answer.status === 'not accepted' && load.isStopping()) outcomes.refused.push(name)
  else if (answer.status === 'cut') outcomes.cut.push(name)
  else outcomes.unexpected.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
  return !load.isStopping()
}

interface Answer {
  /** `not accepted`: the connection was refused or ended before a byte of an answer; `cut`: in the middle of it. */
  status: number | 'not accepted' | 'cut'
  text: string
}

function send(url: string, options: object, body: unknown): Promise<Answer> {
  return new Promise((resolve) => {
    const sending = request(url, options, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', (error) => resolve({ status: 'cut', text: error.message }))
    })
    sending.on('error', (error) => resolve({ status: 'not accepted', text: error.message }))
    sending.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Makes one app after another over a WebSocket; resolves with the code that it was closed with. */
export function loadSocket({ url, token, accountId, outcomes }: Load, number: number): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const say = (message: object) => socket.send(JSON.stringify(message))
  let turn = 0
  const name = () => `socket ${number} ${turn}`
  const next = () => {
    turn += 1
    const payload = { query: MUTATION, variables: { input: appOf(name(), accountId) } }
    say({ id: String(turn), type: 'subscribe', payload })
  }
  let isWaiting = false
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => say({ type: 'connection_init', payload: { Authorization: token } }))
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data)) as { type: string; payload?: unknown }
      const text = JSON.stringify(payload)
      if (type === 'next' && !/"errors"/.test(text)) {
        outcomes.answered += 1
        outcomes.created.set(name(), text)
        isWaiting = false
      } else if (type === 'next' || type === 'error') {
        isWaiting = false
        if (isRefusal(text)) outcomes.refused.push(name())
        else outcomes.unexpected.push(`${name()}: ${text}`)
      }
      if (type !== 'connection_ack' && type !== 'complete') return
      setTimeout(() => {
        if (socket.readyState !== socket.OPEN) return
        isWaiting = true
        next()
      }, PAUSE_MS)
    })
    socket.on('close', (code) => {
      if (isWaiting) outcomes.refused.push(name())
      resolve(code)
    })
  })
}
