import http from 'node:http'

export interface Answer {
  status: number
  body: string
  headers: http.IncomingHttpHeaders
}

/** A request on a connection of its own. */
export function request(url: string, host: string, path = '/', body: Buffer | null = null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { host }, method: body ? 'POST' : 'GET' }
    const asked = http.request(new URL(path, url), options, async (response) => {
      response.on('error', reject)
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
    })
    asked.once('error', reject)
    asked.end(body ?? undefined)
  })
}

/** A tunnel that stays open until it is closed. */
export function openTunnel(url: string, host: string): Promise<{ say(text: string): Promise<string>; close(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: 'upgrade', upgrade: 'echo' }
    const asked = http.request(new URL(url), { agent: false, headers })
    asked.once('error', reject)
    asked.once('response', ({ statusCode }) => reject(new Error(`It was answered with ${statusCode}`)))
    asked.once('upgrade', (_response, socket) => {
      socket.on('error', () => {})
      const say = (text: string) =>
        new Promise<string>((heard) => {
          socket.once('data', (chunk: Buffer) => heard(chunk.toString()))
          socket.write(text)
        })
      resolve({ say, close: () => socket.destroy() })
    })
    asked.end()
  })
}
