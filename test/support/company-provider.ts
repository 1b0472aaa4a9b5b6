import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Employee {
  id: string
  email?: string
  isVerified?: boolean
}

export const CLIENT = { id: 'berth', secret: 'a-secret-of-the-client' }

/** A company's OpenID Connect provider, at which whoever comes is the employee that was named last. */
export async function startCompanyProvider(redirectUri: string) {
  let present: Employee | null = null
  const employees = new Map<string, Employee>()
  const server = createServer((request, response) => {
    const uid = /^\/interaction\/(.+)$/.exec(request.url ?? '')?.[1]
    if (!uid) return void handle(request, response)
    const denied = { error: 'access_denied', error_description: 'Nobody is there' }
    const result = present ? { login: { accountId: present.id } } : denied
    return void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri], response_types: ['code'] },
    ],
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of this test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    async findAccount(_context, id) {
      const { email, isVerified = true } = employees.get(id) ?? {}
      return { accountId: id, claims: async () => ({ sub: id, email, email_verified: isVerified }) }
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  return {
    url,
    /** Who signs in next; null: somebody who does not. */
    receive(employee: Employee | null) {
      present = employee
      if (employee) employees.set(employee.id, employee)
    },
    /** Goes where a browser is sent, as a new one, until the provider sends it back. */
    async visit(address: string): Promise<URL> {
      const cookies = new Map<string, string>()
      let at = new URL(address)
      for (let hop = 0; hop < 10 && at.origin === url; hop += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const [name = '', value = ''] of answer.headers
          .getSetCookie()
          .map((set) => set.split(';')[0]?.split('=') ?? []))
          cookies.set(name, value)
        const location = answer.headers.get('location')
        if (!location) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`)
        at = new URL(location, at)
      }
      return at
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
