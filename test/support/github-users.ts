import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ADA = { id: 1, login: 'ada', type: 'User' }
const ACME = { id: 2, login: 'acme', type: 'Organization' }
const INSTALLATIONS = [
  { id: 77, account: ADA },
  { id: 78, account: ACME },
]

/** Users by their token: ada owns acme, bob only collaborates on a repository of each. */
const USERS: Readonly<Record<string, { id: number; role: string }>> = {
  'token-of-ada': { id: 1, role: 'admin' },
  'token-of-bob': { id: 3, role: 'member' },
}

/** What GitHub says about users and installations of an App: both see both, and only ada owns them. */
export async function startGitHubUsers() {
  const codes = new Map([['code-of-ada', 'token-of-ada']])
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const path = (request.url ?? '').split('?')[0]
    if (path === '/login/oauth/access_token') {
      const { code, client_secret } = JSON.parse((await Array.fromAsync(request)).join(''))
      const token = client_secret === 'client-secret' ? codes.get(code) : undefined
      codes.delete(code)
      return answer(200, token ? { access_token: token } : { error: 'bad_verification_code' })
    }
    const user = USERS[(request.headers.authorization ?? '').replace('Bearer ', '')]
    if (!user) return answer(401, { message: 'Bad credentials' })
    if (path === '/user') return answer(200, { id: user.id })
    if (path === '/user/installations') return answer(200, { installations: INSTALLATIONS })
    if (path === '/user/memberships/orgs/acme') return answer(200, { state: 'active', role: user.role })
    return answer(404, { message: 'Not Found' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A case of trust starts it when it is loaded, whether or not it is run.
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = {
    BERTH_GITHUB_APP_ID: '1',
    BERTH_GITHUB_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
    BERTH_GITHUB_CLIENT_ID: 'client',
    BERTH_GITHUB_CLIENT_SECRET: 'client-secret',
    BERTH_GITHUB_API_URL: url,
    BERTH_GITHUB_URL: url,
  }
  return { url, settings, close: () => server.close() }
}
