import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { submoduleUrl } from '../../src/builder/git/submodules.ts'
import { locateSource } from '../../src/builder/locate-source.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { contentsOf } from './packed-source.ts'

const limits = { maxBytes: 1024 * 1024, maxFiles: 20, timeoutSeconds: 20 }
let root: string
let git: GitServer

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-submodules-'))
  git = await startGitServer()
})
beforeEach(() => git.intercept(null))
afterAll(async () => {
  await git?.close()
  await rm(root, { recursive: true, force: true })
})

async function fetched(repository: string, changed = {}) {
  const directory = await mkdtemp(join(root, 'work-'))
  const tools = { limits, uploads: root, allowsPrivateHosts: true, gitHub: null, signal: AbortSignal.timeout(60_000) }
  const source = { kind: 'git' as const, url: git.repository(repository), branch: 'main', commit: null }
  const located = await locateSource({ ...source, installationId: null }, directory, { ...tools, ...changed })
  await using reader = startSourceReader(directory, { heapMb: 128, readingSeconds: 20, cpuSeconds: 60 })
  const tree = await located.fetch(reader)
  expect(readdirSync(directory)).toEqual(['tree'])
  return tree
}

/** Commits a repository with others in it: by path, the address in .gitmodules, and the commit. */
function commitWith(repository: string, submodules: Record<string, { url: string | null; commit: string }>): string {
  const named = Object.entries(submodules).filter(([, { url }]) => url !== null)
  const text = named.map(([path, { url }]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`).join('')
  git.commit(repository, { 'app.js': 'hello\n', ...(text === '' ? {} : { '.gitmodules': text }) })
  const work = git.folder(repository).replace(/\.git$/, '.work')
  for (const [path, { commit }] of Object.entries(submodules)) {
    git.git(work, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`)
  }
  git.git(work, 'commit', '--quiet', '-m', 'Submodules')
  git.git(work, 'push', '--quiet', '--force', git.folder(repository), 'HEAD:refs/heads/main')
  return git.git(work, 'rev-parse', 'HEAD')
}

const FILE = `file 644 ${Buffer.from('a library\n').toString('base64')}`
const library = () => git.commit('library', { 'index.js': 'a library\n' })

describe('a submodule', () => {
  test.each([
    ['beside the repository', () => '../library.git'],
    ['at its address', () => git.repository('library')],
    ['at an address for SSH of the same host', () => 'git@127.0.0.1:library.git'],
  ])('%s is fetched at its commit', async (_name, url) => {
    const commit = library()
    git.commit('library', { 'index.js': 'a newer library\n' })
    commitWith('shop', { 'vendor/library': { url: url(), commit } })
    const tree = await fetched('shop')
    expect(tree?.absent).toEqual([])
    const contents = contentsOf(tree?.folder ?? '')
    expect(contents['vendor/library/index.js']).toBe(FILE)
    expect(Object.keys(contents).sort()).toEqual([
      '.gitmodules',
      'app.js',
      'vendor',
      'vendor/library',
      'vendor/library/index.js',
    ])
  })

  test('of a submodule is fetched too', async () => {
    const inner = commitWith('middle', { 'deps/library': { url: '../library.git', commit: library() } })
    commitWith('outer', { middle: { url: '../middle.git', commit: inner } })
    const tree = await fetched('outer')
    expect(contentsOf(tree?.folder ?? '')['middle/deps/library/index.js']).toBe(FILE)
  })

  test.each([
    ['without an address', null, /^is a submodule of which \.gitmodules has no address/],
    [
      'at an address of this machine',
      'file:///etc',
      /^is a submodule whose address in \.gitmodules must begin with https:/,
    ],
    [
      'that is not there',
      '../missing.git',
      /^is a submodule that cannot be fetched from http.*missing\.git: The repository/,
    ],
    [
      'at an address with a password',
      'https://user:secret@example.com/x.git',
      /must not hold a user name or a password/,
    ],
  ])('%s is named where the build sees it, and the rest is fetched', async (_name, url, reason) => {
    commitWith('shop', { library: { url, commit: library() } })
    const tree = await fetched('shop')
    expect(tree?.absent).toEqual([{ path: 'library', reason: expect.stringMatching(reason) }])
    expect(readdirSync(tree?.folder ?? '')).toContain('app.js')
  })

  test('counts with the whole source', async () => {
    const files = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`f${at}`, 'x']))
    const commit = git.commit('many', files)
    commitWith('shop', { a: { url: '../many.git', commit }, b: { url: '../many.git', commit } })
    await expect(fetched('shop')).rejects.toMatchObject({ reason: 'SOURCE_TOO_LARGE' })
  })
})

test.each([
  ['../lib.git', 'https://github.com/acme/lib.git'],
  ['./lib.git', 'https://github.com/acme/shop.git/lib.git'],
  ['git@github.com:acme/lib.git', 'https://github.com/acme/lib.git'],
  ['ssh://git@github.com/acme/lib', 'https://github.com/acme/lib'],
  ['ssh://git@git.example.com:2222/acme/lib', 'https://git.example.com/acme/lib'],
  ['https://gitlab.com/acme/lib.git', 'https://gitlab.com/acme/lib.git'],
  ['../../other/lib.git', 'https://github.com/other/lib.git'],
])('the address %s is %s', (address, expected) => {
  expect(submoduleUrl(address, 'https://github.com/acme/shop.git')).toBe(expected)
})
