import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const COMMIT = /^[0-9a-f]{40}$/

let git: GitServer
let gitHub: Server
let world: World
let served: Served
let asked: { path: string; body: string }[]

/** What GitHub's API answers to an App: a token for an installation, and its repositories, two on a page. */
function startGitHub(): Promise<Server> {
  const repositories = Array.from({ length: 150 }, (_, n) => ({
    name: `shop-${n}`,
    owner: { login: 'acme' },
    default_branch: 'main',
    private: n % 2 === 0,
  }))
  const server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join('')
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://github')
    asked.push({ path: pathname, body })
    const answer = (status: number, answered: unknown) => response.writeHead(status).end(JSON.stringify(answered))
    if (pathname === '/app/installations/77/access_tokens') return answer(201, { token: 'token-of-77' })
    if (request.headers.authorization !== 'Bearer token-of-77') return answer(404, { message: 'Not Found' })
    const page = Number(searchParams.get('page'))
    return answer(200, { total_count: 150, repositories: repositories.slice((page - 1) * 100, page * 100) })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

beforeAll(async () => {
  asked = []
  git = await startGitServer()
  git.commit('acme/shop', { 'index.js': '1' })
  git.commit('acme/shop', { 'index.js': '2' }, 'feature/cart')
  git.commit('acme/shop', { 'index.js': '3' }, 'feature/pay')
  gitHub = await startGitHub()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  world = await createWorld({
    settings: {
      BERTH_GIT_PRIVATE_HOSTS: 'true',
      BERTH_GITHUB_APP_ID: '4711',
      BERTH_GITHUB_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      BERTH_GITHUB_API_URL: `http://127.0.0.1:${(gitHub.address() as AddressInfo).port}`,
      BERTH_GITHUB_URL: git.url,
    },
  })
  served = serveWorld(world)
})

afterAll(async () => {
  await served?.close()
  await world?.close()
  await git?.close()
  gitHub?.close()
})

const branches = (query: Record<string, string>, token = world.adminToken) =>
  readRest(served, token, 'getGitBranches', query)
const namesOf = (body: { branches: { name: string }[] }) => body.branches.map(({ name }) => name)

test('names the branches of a repository, and which one is built by default', async () => {
  const { body } = await branches({ gitRepo: git.repository('acme/shop') })
  expect(body).toMatchObject({ url: git.repository('acme/shop'), defaultBranch: 'main', isComplete: true })
  expect(namesOf(body)).toEqual(['feature/cart', 'feature/pay', 'main'])
  for (const { commit } of body.branches) expect(commit).toMatch(COMMIT)
  // By the second version of git's protocol, which sends branches alone.
  expect(git.seen.at(-1)?.path).toBe('/acme/shop.git/git-upload-pack')
})

test('by namespace and name, with a part of the name, and a few of them', async () => {
  const named = { gitNamespace: 'acme', gitRepo: 'shop' }
  expect(namesOf((await branches({ ...named, search: 'CART' })).body)).toEqual(['feature/cart'])
  const { body } = await branches({ ...named, limit: '2' })
  expect([namesOf(body), body.isComplete]).toEqual([['feature/cart', 'feature/pay'], false])
  const field = `gitBranches(gitNamespace: "acme", gitRepo: "shop", search: "cart") { defaultBranch branches { name } }`
  expect((await readGraphQL(served, world.adminToken, field)).body).toEqual({
    defaultBranch: 'main',
    branches: [{ name: 'feature/cart' }],
  })
})

test('of a server that knows the first version of the protocol only', async () => {
  git.intercept((request) => {
    delete request.headers['git-protocol']
    return false
  })
  try {
    const { body } = await branches({ gitRepo: git.repository('acme/shop') })
    expect([namesOf(body), body.defaultBranch]).toEqual([['feature/cart', 'feature/pay', 'main'], 'main'])
    expect(git.seen.at(-1)?.path).toContain('/info/refs')
  } finally {
    git.intercept(null)
  }
})

test.each([
  ['a repository that is not there', () => git.repository('acme/none'), 'does not exist'],
  ['an address that is no repository', () => `${git.url}/`, 'must name a repository'],
  ['another transport', () => 'ssh://git@github.com/acme/shop', 'SSH is not supported'],
  ['a file', () => 'file:///etc/passwd', 'are not read'],
])('%s is refused by the field', async (_what, address, words) => {
  const { code, body } = await branches({ gitRepo: address() })
  expect(code).toBe('INVALID_INPUT')
  expect(body.message).toMatch(/^gitRepo: /)
  expect(body.message).toContain(words)
})

test('no tenant reaches a private address, whatever the address says', async () => {
  const closed = await createWorld()
  const closedServed = serveWorld(closed)
  try {
    const seen = git.seen.length
    const query = { gitRepo: git.repository('acme/shop') }
    const { code, body } = await readRest(closedServed, closed.adminToken, 'getGitBranches', query)
    expect([code, body.message]).toEqual([
      'INVALID_INPUT',
      expect.stringMatching(/^gitRepo: .*BERTH_GIT_PRIVATE_HOSTS/),
    ])
    expect(git.seen.length).toBe(seen)
  } finally {
    await closedServed.close()
    await closed.close()
  }
})

test('a host that answers anything else is no repository, and a redirect is not followed', async () => {
  const answers: [number, Record<string, string>, string | Buffer, string][] = [
    [200, {}, '<html>', 'INVALID_INPUT'],
    [302, { location: `${git.url}/acme/shop.git/info/refs` }, '', 'INVALID_INPUT'],
    [500, {}, '', 'UNAVAILABLE'],
    [200, {}, Buffer.alloc(8 * 1024 * 1024, '0'), 'INVALID_INPUT'],
    [200, {}, '001e# service=git-upload-pack\nffff', 'INVALID_INPUT'],
  ]
  try {
    for (const [status, headers, text, expected] of answers) {
      git.intercept((_request, response) => Boolean(response.writeHead(status, headers).end(text)))
      const { code, body } = await branches({ gitRepo: git.repository('acme/shop') })
      // An answer that is cut names what it has.
      if (text.toString().startsWith('001e')) expect(body).toMatchObject({ branches: [], isComplete: false })
      else expect(code).toBe(expected)
    }
  } finally {
    git.intercept(null)
  }
})

test('a name that git would not take is left out', async () => {
  const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`
  const commit = 'b'.repeat(40)
  const refs = ['--upload-pack=touch', 'a..b', 'good', 'x'.repeat(300)].map((name) =>
    line(`${commit} refs/heads/${name}\n`),
  )
  git.intercept((_request, response) =>
    Boolean(response.end(`${line('# service=git-upload-pack\n')}0000${refs.join('')}0000`)),
  )
  try {
    const { body } = await branches({ gitRepo: git.repository('acme/shop') })
    expect(body).toMatchObject({ branches: [{ name: 'good', commit }], defaultBranch: null, isComplete: true })
  } finally {
    git.intercept(null)
  }
})

test('lists the repositories of the installations that the account has proved', async () => {
  const accountId = await world.account()
  const { token } = await world.user({ accountId, roles: ['TECHNICAL'] })
  const list = (query: Record<string, string> = {}) =>
    readRest(served, token, 'getGitRepositories', { accountId, ...query })
  expect((await list()).body).toEqual({ repositories: [], isComplete: true })
  const { code, body } = await list({ gitInstallationId: '77' })
  expect([code, body.reason]).toEqual(['FORBIDDEN', 'GIT_INSTALLATION_UNPROVED'])
  expect(asked).toEqual([])
  await world.database.gitInstallation.create({ data: { installationId: '77', accountId } })
  const found = (await list()).body
  expect([found.repositories.length, found.isComplete]).toEqual([150, true])
  expect(found.repositories[0]).toEqual({
    gitInstallationId: '77',
    gitNamespace: 'acme',
    gitRepo: 'shop-0',
    url: `${git.url}/acme/shop-0.git`,
    defaultBranch: 'main',
    isPrivate: true,
  })
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ permissions: { metadata: 'read' } })
})

test('reads a private repository with a token for it alone, sent to its host alone', async () => {
  asked.length = 0
  await branches({ gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '77' })
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ repositories: ['shop'], permissions: { contents: 'read' } })
  expect(git.seen.at(-1)?.authorization).toMatch(/^Basic /)
  const elsewhere = await startGitServer()
  try {
    elsewhere.commit('acme/shop', { a: '1' })
    await branches({ gitRepo: elsewhere.repository('acme/shop'), gitInstallationId: '77' })
    expect(elsewhere.seen.map(({ authorization }) => authorization)).toEqual([undefined, undefined])
  } finally {
    await elsewhere.close()
  }
})

test('needs the permission to change apps', async () => {
  const accountId = await world.account()
  const { token } = await world.user({ accountId, roles: ['AUDIT'] })
  const { code } = await branches({ accountId, gitRepo: git.repository('acme/shop') }, token)
  expect(code).toBe('FORBIDDEN')
})
