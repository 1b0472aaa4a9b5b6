import type { ApiServer } from '../../src/api/server/server.ts'

export interface WebAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any
}

interface WebRequest {
  body?: unknown
  /** In place of those that a page of Berth itself would have; undefined leaves one out. */
  headers?: Record<string, string | undefined>
}

/** Calls a server as pages of it do in a browser at localhost: with its cookies, and where the request comes from. */
export function webBrowser({ request }: Pick<ApiServer, 'request'>, host = 'localhost:4000') {
  const cookies = new Map<string, string>()

  async function send(method: string, path: string, { body, headers = {} }: WebRequest = {}): Promise<WebAnswer> {
    const usual = {
      host,
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Mozilla/5.0 (test)',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const sent = Object.entries(usual).filter((entry): entry is [string, string] => Boolean(entry[1]))
    const answer = await request(`http://${host}${path}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    keep(answer.headers.getSetCookie())
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : text }
  }

  function keep(set: string[]): void {
    for (const [name = '', value = ''] of set.map((cookie) => cookie.split(';')[0]?.split('=') ?? [])) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  return {
    cookies,
    get: (path: string, options?: WebRequest) => send('GET', path, options),
    post: (path: string, body: unknown = {}, options: WebRequest = {}) => send('POST', path, { body, ...options }),
  }
}

export type WebBrowser = ReturnType<typeof webBrowser>
