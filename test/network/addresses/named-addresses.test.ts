import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, isIP } from 'node:net'
import os, { type NetworkInterfaceInfo } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pinAddress } from '../../../src/builder/git/git-address.ts'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { HostRules } from '../../../src/network/addresses/host-rules.ts'
import { checkRegistry } from '../../../src/network/registries/registry-check.ts'
import { tryLogin } from '../../../src/network/registries/try-login.ts'
import { createGitHook } from '../../../src/services/git-hook/git-hook-commands.ts'
import { createServices } from '../../../src/services/services.ts'
import { CompanyProvider } from '../../../src/services/sign-in/company-provider.ts'
import { checkReceiver } from '../../../src/services/webhook/webhook-input.ts'
import { objectStorage } from '../../../src/storage/backups/stores/object-storage.ts'
import { reportStatus } from '../../../src/worker/commit-statuses/report-status.ts'
import { post } from '../../../src/worker/webhooks/post.ts'
import { createWorld, type World } from '../../support/world.ts'

/** Public addresses that a second interface of this machine has during the test. */
const ADDED = ['203.0.113.7', '2001:db8:0:0::7']
/** The same, and what else leads there. */
const NAMED = [...ADDED, '::ffff:203.0.113.7', '2001:0db8::0007']

const REGISTRY = '127.0.0.2'
const login = { username: 'ada', password: 'a password' }
const interfaces = os.networkInterfaces
const realAddresses = Object.values(interfaces()).flatMap((found = []) => found.map(({ address }) => address))

let world: World
let hookWorld: World
/** Where the registry sends its clients. */
let leadsTo = { status: 401, headers: {} as Record<string, string> }

const registry = createServer((_request, response) => response.writeHead(leadsTo.status, leadsTo.headers).end())

function show(addresses: readonly string[]) {
  const added = addresses.map(
    (address) => ({ address, family: isIP(address) === 6 ? 'IPv6' : 'IPv4', internal: false }) as NetworkInterfaceInfo,
  )
  os.networkInterfaces = () => ({ ...interfaces(), added })
  syncBuiltinESMExports()
}

beforeAll(async () => {
  world = await createWorld()
  // Only a hook that was made while all hosts were allowed has an address that is refused when it is asked.
  hookWorld = { ...world, config: { ...world.config, BERTH_GIT_PRIVATE_HOSTS: true } }
  registry.listen(0, REGISTRY)
  await once(registry, 'listening')
  show(ADDED)
})
afterAll(async () => {
  os.networkInterfaces = interfaces
  syncBuiltinESMExports()
  registry.close()
  await world?.close()
})

const inUrl = (address: string) => (isIP(address) === 6 ? `[${address}]` : address)
/** What a kind of address is refused with, down to the cause; null where it is not. */
async function words(work: () => Promise<unknown>): Promise<string | null> {
  try {
    const result = await work()
    return result === null || result === undefined ? null : JSON.stringify(result)
  } catch (error) {
    const said: string[] = []
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      said.push(cause.message, JSON.stringify((cause as { details?: unknown }).details ?? ''))
    return said.join(': ')
  }
}

async function statusOf(host: string, config: Config) {
  const services = createServices({ ...hookWorld, config: hookWorld.config })
  const caller = await services.authenticate(world.adminToken)
  const input = { accountId: world.accountId, provider: 'GITHUB', name: 'hook', statusApiUrl: `https://${host}` }
  const call = { requestId: 'req_named', api: 'world' as const }
  const made = await services.perform(caller, createGitHook, { ...input, statusToken: 'a-token' }, call)
  const { gitHookId } = made.result
  const claimed = {
    source: gitHookId,
    installationId: null,
    project: 'a/b',
    provider: 'GITHUB',
    commitId: 'a'.repeat(40),
    state: 'SUCCESS',
    appEnvId: 'env_none',
    claimedAt: performance.now(),
  }
  const outcome = await reportStatus({ ...world, config }, claimed as never)
  await world.database.gitHook.delete({ where: { id: gitHookId } })
  return outcome?.error ?? null
}

const registryLeading = async (headers: Record<string, string>, status = 401) => {
  leadsTo = { status, headers }
  return `${REGISTRY}:${(registry.address() as AddressInfo).port}`
}
const soon = () => AbortSignal.timeout(10_000)

/** Everything that tenants may name, and the company’s provider; by the settings alone, or with the host listed. */
const KINDS: Readonly<Record<string, (host: string, listed: readonly string[]) => Promise<unknown>>> = {
  'URL of a webhook': async (host, listed) =>
    checkReceiver({ ...world.config, BERTH_WEBHOOK_PRIVATE_HOSTS: [...listed] }, 'WEBHOOK', {
      url: `https://${host}/hook`,
      recipients: [],
    }),
  'delivery of a webhook': async (host, listed) => {
    const config = { ...world.config, BERTH_WEBHOOK_PRIVATE_HOSTS: [...listed] }
    return (await post({ url: `https://${host}:9/`, body: '{}', config, signal: AbortSignal.timeout(1_000) })).error
  },
  'API of a git host': async (host, listed) => {
    const config = { ...world.config, BERTH_GIT_PRIVATE_HOSTS: listed.length > 0 }
    const services = createServices({ ...world, config })
    const input = { accountId: world.accountId, provider: 'GITHUB', name: 'hook', statusApiUrl: `https://${host}` }
    const call = { requestId: 'req_named', api: 'world' as const, isDryRun: true }
    const caller = await services.authenticate(world.adminToken)
    await services.perform(caller, createGitHook, { ...input, statusToken: 'a-token' }, call)
  },
  'status of a commit': (host, listed) =>
    statusOf(`${host}:9`, { ...world.config, BERTH_GIT_PRIVATE_HOSTS: listed.length > 0 }),
  'git repository': async (host, listed) => {
    await pinAddress(new URL(`https://${host}/a/b.git`), { allowsPrivate: listed.length > 0 })
  },
  registry: (host, listed) => checkRegistry(`${host}:9`, new HostRules(listed), AbortSignal.timeout(10_000)),
  'token service of a registry': async (host, listed) => {
    const name = await registryLeading({ 'www-authenticate': `Bearer realm="https://${host}:9/token"` })
    return checkRegistry(name, new HostRules([REGISTRY, ...listed]), soon())
  },
  'redirect of a registry': async (host, listed) => {
    const name = await registryLeading({ location: `https://${host}:9/` }, 307)
    return checkRegistry(name, new HostRules([REGISTRY, ...listed]), soon())
  },
  'login at a registry': (host, listed) => tryLogin(`${host}:9`, login, new HostRules(listed)),
  'login at a token service': async (host, listed) => {
    const name = await registryLeading({ 'www-authenticate': `Bearer realm="https://${host}:9/token"` })
    return tryLogin(name, login, new HostRules([REGISTRY, ...listed]))
  },
  'object storage': async (host, listed) => {
    const place = { endpoint: `https://${host}:9`, bucket: 'a', accessKeyId: 'a', secretAccessKey: 'b' }
    await objectStorage(place, { allowsPrivate: listed.length > 0 })
  },
  'company’s provider': async (host, listed) => {
    const settings = { ...world.config, BERTH_OIDC_ISSUER: `https://${host}:9`, BERTH_OIDC_CLIENT_ID: 'berth' }
    const provider = new CompanyProvider({ ...settings, BERTH_OIDC_PRIVATE_HOSTS: [...listed] })
    await provider.authorizationUrl({ state: 'a', nonce: 'b', codeVerifier: 'c'.repeat(50) }, 'https://a.example/')
  },
}

/** A registry’s login takes no IPv6 address at all. */
const REFUSED = /an address of Berth’s own machine|a private address|is not named by its host/

test('an address of the machine is refused to everything that may be named, whatever its form', async () => {
  // The list of addresses is read again within a second.
  await expect.poll(() => new HostRules([]).judge(new URL('https://203.0.113.7'))).toMatchObject({ kind: 'refused' })
  const named = [...NAMED, ...realAddresses.filter((address) => !address.startsWith('fe80:'))]
  const wrong: string[] = []
  let cells = 0
  for (const [kind, ask] of Object.entries(KINDS))
    for (const address of named) {
      cells += 1
      const said = await words(() => ask(inUrl(address), []))
      if (!REFUSED.test(said ?? '')) wrong.push(`${kind} at ${address}: ${said}`)
    }
  console.info(`own addresses: ${cells} cells`)
  expect(wrong).toEqual([])
})

test('an address of the machine that the setting lists is not refused', async () => {
  const wrong: string[] = []
  for (const [kind, ask] of Object.entries(KINDS)) {
    // Nothing listens on port 9 of loopback, so that what is let through fails at once.
    const said = await words(() => ask('127.0.0.1', ['127.0.0.1']))
    if (REFUSED.test(said ?? '')) wrong.push(`${kind}: ${said}`)
  }
  expect(wrong).toEqual([])
})

test('addresses are read again when an interface gets or loses one', async () => {
  const judged = () => new HostRules([]).judge(new URL('https://203.0.113.9')).kind
  expect(judged()).toBe('open')
  show(['203.0.113.9'])
  await expect.poll(judged).toBe('refused')
  show(ADDED)
  await expect.poll(judged).toBe('open')
})

test('an operator’s setting for hosts takes ranges with addresses of the machine', () => {
  const { BERTH_WEBHOOK_PRIVATE_HOSTS } = readConfig({ BERTH_WEBHOOK_PRIVATE_HOSTS: '203.0.113.0/24' })
  expect(new HostRules(BERTH_WEBHOOK_PRIVATE_HOSTS).judge(new URL('https://203.0.113.7'))).toEqual({ kind: 'listed' })
})
