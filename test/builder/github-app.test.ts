import { createVerify, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { locateSource } from '../../src/builder/locate-source.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const TOKEN = 'ghs_secret_of_the_installation'
const BASIC = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`

let git: GitServer
let root: string
const asked: { path: string; jwt: string; body: unknown }[] = []

/** The one call of GitHub's API that a clone needs: it returns tokens to clients that sign with the app's key. */
const api = createServer(async (request, response) => {
  const jwt = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const [head, claims, signature] = jwt.split('.')
  const isOurs = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(publicKey, signature ?? '', 'base64url')
  let body = ''
  for await (const chunk of request) body += chunk
  asked.push({ path: request.url ?? '', jwt, body: JSON.parse(body) })
  const status = !isOurs ? 401 : request.url === '/app/installations/77/access_tokens' ? 201 : 404
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status === 201 ? { token: TOKEN, expires_at: '2030-01-01T00:00:00Z' } : {}))
})

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-app-'))
  git = await startGitServer()
  git.commit('acme/shop', { 'file.txt': 'private' })
  git.intercept((request, response) => {
    if (request.headers.authorization === BASIC) return false
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
    return true
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  api.close()
  await git?.close()
  await rm(root, { recursive: true, force: true })
})

async function locate(installationId: string | null, key = pem) {
  const directory = await mkdtemp(join(root, 'work-'))
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const gitHub = { appId: '4711', privateKey: key, apiUrl, cloneUrl: git.url }
  const limits = { maxBytes: 1024 * 1024, maxFiles: 10, timeoutSeconds: 20 }
  const tools = { limits, uploads: root, allowsPrivateHosts: true, gitHub, signal: AbortSignal.timeout(60_000) }
  const url = git.repository('acme/shop')
  return locateSource({ kind: 'git', url, branch: 'main', commit: null, installationId }, directory, tools)
}

test('a private repository is cloned with a token of its installation, for that repository alone', async () => {
  const source = await locate('77')
  await using reader = startSourceReader(root, { heapMb: 128, readingSeconds: 20, cpuSeconds: 60 })
  const tree = await source.fetch(reader)
  expect(await readdir(tree?.folder ?? '')).toEqual(['file.txt'])
  const [first] = asked
  expect(first?.body).toEqual({ repositories: ['shop'], permissions: { contents: 'read' } })
  const claims = JSON.parse(Buffer.from(first?.jwt.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ iss: '4711' })
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(600)
  expect(JSON.stringify(source)).not.toContain(TOKEN)
})

test('without an installation it is not found, and another installation or key is refused', async () => {
  await expect(locate(null)).rejects.toMatchObject({ reason: 'SOURCE_NOT_FOUND' })
  await expect(locate('78')).rejects.toMatchObject({ reason: 'SOURCE_NOT_FOUND' })
  await expect(locate('77/../78')).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  await expect(locate('77', other.toString())).rejects.toMatchObject({ reason: 'SOURCE_NOT_FOUND' })
})
