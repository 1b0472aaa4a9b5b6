import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { locateSource } from '../../src/builder/locate-source.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'
import { foreignTransport } from '../../src/domain/repository-address.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'

let git: GitServer
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-refusals-'))
  git = await startGitServer()
  git.commit('shop', { 'file.txt': 'public' })
  execFileSync('git', ['update-server-info'], { cwd: git.folder('shop') })
  // A web server that knows nothing of git: files under /plain, and one page for every other path.
  git.intercept((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    if (path.startsWith('/page/')) response.end('<html>\n<h1>Welcome</h1>\n</html>\n')
    if (!path.startsWith('/plain/')) return path.startsWith('/page/')
    const file = join(git.folder('shop'), path.replace('/plain/shop.git/', ''))
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) response.end(readFileSync(file))
    else response.writeHead(404).end()
    return true
  })
})

afterAll(async () => {
  await git?.close()
  await rm(root, { recursive: true, force: true })
})

async function fetchSource(url: string, branch: string | null = 'main') {
  const directory = await mkdtemp(join(root, 'work-'))
  const limits = { maxBytes: 1024 * 1024, maxFiles: 10, timeoutSeconds: 20 }
  const tools = { limits, uploads: root, allowsPrivateHosts: true, gitHub: null, signal: AbortSignal.timeout(60_000) }
  const source = { kind: 'git' as const, url, branch, commit: null, installationId: null }
  const located = await locateSource(source, directory, tools)
  await using reader = startSourceReader(directory, { heapMb: 128, readingSeconds: 20, cpuSeconds: 60 })
  return located.fetch(reader)
}

test('a repository that is served as plain files is refused in those words, and not tried again', async () => {
  const failure = await fetchSource(`${git.url}/plain/shop.git`).catch((error: unknown) => error)
  expect(failure).toMatchObject({ reason: 'SOURCE_REFUSED', isFinal: true })
  expect(failure).toMatchObject({ message: expect.stringMatching(/dumb HTTP protocol.*smart HTTP/) })
})

test('a page that is no repository is named as that', async () => {
  const failure = await fetchSource(`${git.url}/page/shop.git`).catch((error: unknown) => error)
  expect(failure).toMatchObject({ reason: 'SOURCE_NOT_FOUND', isFinal: true })
  expect(failure).toMatchObject({ message: expect.stringMatching(/answers, but not as a git repository/) })
})

test('a branch that is not there is named, with those that are', async () => {
  git.commit('shop', { 'file.txt': 'next' }, 'next')
  const failure = await fetchSource(git.repository('shop'), 'mian').catch((error: unknown) => error)
  expect(failure).toMatchObject({
    reason: 'SOURCE_NOT_FOUND',
    message: 'The repository has no branch mian; it has main and next',
  })
})

test.each([
  ['file:///srv/shop.git', /https:\/\/ or http:\/\/.*file:\/\/.*are not read/],
  ['FILE:///srv/shop.git', /file:\/\//],
  ['/srv/shop.git', /file:\/\//],
  ['../shop', /file:\/\//],
  ['~/shop', /file:\/\//],
  ['git@github.com:acme/shop.git', /SSH is not supported/],
  ['ssh://git@github.com/acme/shop.git', /SSH is not supported/],
  ['git://example.com/shop.git', /git:\/\/ is not supported/],
  ['ext::sh -c id', null],
  ['shop', null],
  ['.github', null],
  ['https://example.com/shop.git', null],
  ['HTTP://example.com/shop.git', null],
])('the address %s', async (address, expected) => {
  if (!expected) expect(foreignTransport(address)).toBeNull()
  else {
    expect(foreignTransport(address)).toMatch(expected)
    await expect(fetchSource(address)).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
  }
})
