import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ClientRun {
  /** Requests that were answered 200, by the version that answered. */
  byVersion: Map<string, number>
  failures: string[]
  stop(): Promise<ClientRun>
}

interface Answer {
  status: number
  body: string
}

/** Runs clients against one host, each with a connection of its own, until stopped. */
export function startClients(ingressUrl: string, host: string, count: number, pauseMs = 0): ClientRun {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const run: ClientRun = { byVersion: new Map(), failures: [], stop }
  let stopped = false
  const busy = Array.from({ length: count }, visit)

  async function visit(): Promise<void> {
    while (!stopped) {
      if (pauseMs > 0) await sleep(pauseMs)
      const answer = await ask(ingressUrl, host, agent).catch((error: Error) => ({ status: 0, body: error.message }))
      if (answer.status !== 200) run.failures.push(`${answer.status} ${answer.body.slice(0, 200)}`)
      else {
        const { version } = JSON.parse(answer.body) as { version: string }
        run.byVersion.set(version, (run.byVersion.get(version) ?? 0) + 1)
      }
    }
  }

  async function stop(): Promise<ClientRun> {
    stopped = true
    await Promise.all(busy)
    agent.destroy()
    return run
  }

  return run
}

/** One request with a Host header of our choice, which fetch does not allow. */
export function ask(ingressUrl: string, host: string, agent?: Agent, path = '/', seconds = 20): Promise<Answer> {
  const { hostname, port } = new URL(ingressUrl)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, agent, headers: { host }, timeout: seconds * 1000 }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${seconds} s`)))
    sent.on('error', reject)
    sent.end()
  })
}
