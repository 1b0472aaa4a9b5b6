import { request } from 'node:http'

interface Answer<T> {
  body: T
  headers: Headers
}

export interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object, headers?: Record<string, string>): Promise<Answer<T>>
}

/** The public REST API, as any client would call it. */
export function restApi(address: string, token: string): Api {
  async function call<T>(method: string, path: string, body?: object, more = {}): Promise<Answer<T>> {
    const response = await fetch(`${address}/api/public/v1${path}`, {
      method,
      headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}), ...more },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(90_000),
    })
    if (response.status === 401) {
      throw new Error(
        `The Berth at ${address} does not know the admin token. Set BERTH_DATA_DIR to its data directory, or BERTH_ADMIN_TOKEN.`,
      )
    }
    const answer = (await response.json()) as T & { code?: string; message?: string }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.code} ${answer.message}`)
    return { body: answer, headers: response.headers }
  }
  return {
    get: async <T>(path: string) => (await call<T>('GET', path)).body,
    post: (path, body, headers) => call('POST', path, body, headers),
  }
}

/** Sends a request for an app's host to the ingress, without relying on how this machine resolves names. */
export function throughIngress(
  ingress: { address: string; port: number },
  host: string,
  path: string,
): Promise<{ status: number; text: string }> {
  const { address, port } = ingress
  return new Promise((resolve, reject) => {
    const call = request({ host: address, port, path, headers: { host }, timeout: 10_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.once('timeout', () => call.destroy(new Error('The ingress did not answer within 10 s')))
    call.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'ECONNREFUSED'
      reject(isAbsent ? new Error(`No ingress listens at ${address}:${port}. Set INGRESS_PORT to its port.`) : error)
    })
    call.end()
  })
}
