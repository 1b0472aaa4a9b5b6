import http from 'node:http'

export interface Response {
  status: number
  body: string
  headers: http.IncomingHttpHeaders
}

/** One request to an app by its host. `fetch` forbids setting Host. */
export function visit(
  ingressUrl: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { agent: false, method, headers: { ...headers, ...length, host } }
    const asked = http.request(new URL(path, ingressUrl), options, async (response) => {
      response.on('error', reject)
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
    })
    asked.once('error', reject)
    asked.end(body)
  })
}
