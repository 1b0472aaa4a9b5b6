import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FormBrowser, listenTo, REDIRECT } from '../../support/oauth.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let api: Awaited<ReturnType<typeof listenTo>>

beforeAll(async () => {
  world = await createWorld()
  api = await listenTo(world)
})
afterAll(async () => {
  await api?.close()
  await world?.close()
})

/** What a program remembers that the official client signs in. */
function memory() {
  const kept: Record<string, unknown> = {}
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'Assistant',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
    codeVerifier: () => String(kept.verifier),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: unknown) => void Object.assign(kept, { discovery }),
    redirectToAuthorization: (url: URL) => void Object.assign(kept, { url }),
  }
  return { kept, provider: provider as OAuthClientProvider }
}

test('the official MCP client finds out by itself whom to ask, and calls a tool', async () => {
  const { kept, provider } = memory()
  const transport = () => new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { authProvider: provider })
  const first = transport()
  await expect(new Client({ name: 'assistant', version: '1' }).connect(first)).rejects.toThrow(/unauthorized/i)
  const asked = new URL(String(kept.url))
  expect(asked.searchParams.get('resource')).toBe(`${api.url}/mcp`)
  const { left } = await (await new FormBrowser(api.url).signIn(world.adminToken)).answer(asked)
  await first.finishAuth(left?.searchParams ?? new URLSearchParams())

  const client = new Client({ name: 'assistant', version: '1' })
  await client.connect(transport())
  const { content } = await client.callTool({ name: 'list-accounts', arguments: {} })
  expect(JSON.stringify(content)).toContain(world.accountId)
  await client.close()
})
