import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../src/builder/archive/extract.ts'
import { contextFolder, dockerfileFor } from '../../src/builder/dockerfile.ts'
import { locateSource, type SourceTools } from '../../src/builder/locate-source.ts'
import type { BuildPlan } from '../../src/domain/build-plan.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { tarGz } from '../support/source-archive.ts'
import { zipOf } from '../support/zip-archive.ts'

const MB = 1024 * 1024
const limits = { maxBytes: 5 * MB, maxFiles: 200, timeoutSeconds: 20 }

let root: string
let git: GitServer

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-hostile-'))
  git = await startGitServer()
  git.commit('good', { 'file.txt': 'good' })
})

afterAll(async () => {
  await git?.close()
  await rm(root, { recursive: true, force: true })
})

let sandboxes = 0
async function sandbox(): Promise<string> {
  sandboxes += 1
  const folder = join(root, String(sandboxes), 'inner')
  await mkdir(folder, { recursive: true })
  return folder
}

/** Nothing beside the sandbox, and none of the marks that an attack would leave. */
function expectUntouched(folder: string): void {
  expect(readdirSync(join(folder, '..'))).toEqual(['inner'])
  expect(existsSync('/tmp/berth-pwned')).toBe(false)
}

type Archive = () => Promise<Buffer> | Buffer

const archives: [name: string, archive: Archive, reason: string][] = [
  ['a path with ..', () => tarGz([{ name: '../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a path with .. further in', () => tarGz([{ name: 'a/../../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['an absolute path', () => tarGz([{ name: '/tmp/berth-pwned', content: 'x' }]), 'SOURCE_REFUSED'],
  ['backslashes', () => tarGz([{ name: '..\\out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a drive letter', () => tarGz([{ name: 'C:\\out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['an absolute link', () => tarGz([{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }]), 'SOURCE_REFUSED'],
  ['a link out', () => tarGz([{ name: 'a/l', type: 'symlink', linkname: '../../x' }]), 'SOURCE_REFUSED'],
  [
    'a link and a file of the same name',
    () =>
      tarGz([
        { name: 'l', type: 'symlink', linkname: '.' },
        { name: 'l', content: 'x' },
      ]),
    'SOURCE_REFUSED',
  ],
  ['a hard link', () => tarGz([{ name: 'l', type: 'link', linkname: '/etc/passwd' }]), 'SOURCE_REFUSED'],
  ['a device', () => tarGz([{ name: 'd', type: 'character-device', devmajor: 1, devminor: 5 }]), 'SOURCE_REFUSED'],
  ['a block device', () => tarGz([{ name: 'd', type: 'block-device' }]), 'SOURCE_REFUSED'],
  ['a pipe', () => tarGz([{ name: 'p', type: 'fifo' }]), 'SOURCE_REFUSED'],
  ['a bomb', () => tarGz([{ name: 'zeros', content: '\0'.repeat(8 * MB) }]), 'SOURCE_TOO_LARGE'],
  [
    'too many files',
    () => tarGz(Array.from({ length: 201 }, (_, index) => ({ name: `f${index}`, content: '' }))),
    'SOURCE_TOO_LARGE',
  ],
  ['a name that is too long', () => tarGz([{ name: 'a/'.repeat(700), type: 'directory' }]), 'SOURCE_REFUSED'],
  ['no archive at all', () => Buffer.from('#!/bin/sh\ntouch /tmp/berth-pwned\n'), 'SOURCE_REFUSED'],
  ['gzip without tar', () => gzipSync('x'.repeat(2000)), 'SOURCE_REFUSED'],
  [
    'a tar that is cut off',
    async () => (await tarGz([{ name: 'f', content: 'x'.repeat(9999) }])).subarray(0, 60),
    'SOURCE_REFUSED',
  ],
  ['an empty file', () => Buffer.alloc(0), 'SOURCE_REFUSED'],
  ['a zip with ..', () => zipOf([{ name: '../out.txt', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a zip with an absolute path', () => zipOf([{ name: '/tmp/berth-pwned', content: 'x' }]), 'SOURCE_REFUSED'],
  ['a zip with a link out', () => zipOf([{ name: 'l', content: '../../x', mode: 0o120777 }]), 'SOURCE_REFUSED'],
  ['a zip with a pipe', () => zipOf([{ name: 'p', content: '', mode: 0o010644 }]), 'SOURCE_REFUSED'],
  ['a zip bomb', () => zipOf([{ name: 'zeros', content: '\0'.repeat(8 * MB) }]), 'SOURCE_TOO_LARGE'],
  ['a zip whose sizes lie', () => zipOf([{ name: 'f', content: 'x'.repeat(5000), claimedSize: 10 }]), 'SOURCE_REFUSED'],
  ['a zip that is cut off', () => zipOf([{ name: 'f', content: 'x' }]).subarray(0, 40), 'SOURCE_REFUSED'],
]

test.each(archives)('an archive with %s is refused', async (_name, archive, reason) => {
  const folder = await sandbox()
  const file = join(root, `archive-${sandboxes}`)
  await writeFile(file, await archive())
  await expect(extractArchive(file, folder, limits, AbortSignal.timeout(20_000))).rejects.toMatchObject({ reason })
  expectUntouched(folder)
})

const fetchGit = async (
  folder: string,
  source: { url: string; branch?: string | null; commit?: string | null },
  tools = {},
) => {
  const plain = { kind: 'git', branch: null, commit: null, installationId: null, ...source } as const
  const all: SourceTools = {
    ...{ limits, uploads: root, allowsPrivateHosts: true, gitHub: null, signal: AbortSignal.timeout(20_000) },
    ...tools,
  }
  return (await locateSource(plain, folder, all)).fetch()
}

describe('an address or a branch', () => {
  test.each([
    ['file:///etc', null],
    ['ssh://git@example.com/x.git', null],
    ['git://example.com/x.git', null],
    ['ext::sh -c "touch /tmp/berth-pwned"', null],
    ['--upload-pack=touch /tmp/berth-pwned', null],
    ['https://user:secret@example.com/x.git', null],
    ['https://example.com/x.git?y', null],
    ['https://example.com/%2e%2e/x.git', null],
    ['GOOD', '--upload-pack=touch'],
    ['GOOD', '-f'],
    ['GOOD', '../main'],
    ['GOOD', 'main:refs/heads/x'],
    ['GOOD', 'main; touch /tmp/berth-pwned'],
    ['GOOD', 'main@{1}'],
    ['GOOD', 'a\nb'],
  ])('%s %s is refused', async (url, branch) => {
    const folder = await sandbox()
    const source = { url: url.replace('GOOD', git.repository('good')), branch }
    await expect(fetchGit(folder, source)).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
    expectUntouched(folder)
  })

  test.each([
    'http://127.0.0.1:1/x.git',
    'http://localhost:1/x.git',
    'http://[::1]/x.git',
    'http://169.254.169.254/x.git',
    'http://10.0.0.1/x.git',
    'http://0x7f.1/x.git',
    'http://[::ffff:10.0.0.1]/x.git',
  ])('%s is private, and refused unless that is allowed', async (url) => {
    const tools = { allowsPrivateHosts: false }
    await expect(fetchGit(await sandbox(), { url }, tools)).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
  })
})

describe('a repository', () => {
  test('that is none of these is fetched: the newest commit, without history, hooks or git’s own folder', async () => {
    const tree = await fetchGit(await sandbox(), { url: git.repository('good'), branch: 'main' })
    expect(readdirSync(tree ?? '')).toEqual(['file.txt'])
  })

  test.each([
    ['with a link out of it', { l: { link: '../../../etc/passwd' } }, 'SOURCE_REFUSED'],
    ['with an absolute link', { 'a/l': { link: '/etc/passwd' } }, 'SOURCE_REFUSED'],
    ['that is too large', { big: 'x'.repeat(6 * MB) }, 'SOURCE_TOO_LARGE'],
    [
      'with too many files',
      Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, '']) as [string, string][]),
      'SOURCE_TOO_LARGE',
    ],
  ])('%s is refused', async (name, files, reason) => {
    const repository = name.replaceAll(' ', '-')
    git.commit(repository, files)
    const folder = await sandbox()
    await expect(fetchGit(folder, { url: git.repository(repository) })).rejects.toMatchObject({ reason })
    expectUntouched(folder)
  })

  test('brings no submodule along', async () => {
    git.commit('submodule', {
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/berth-pwned\n`,
    })
    const folder = await sandbox()
    await fetchGit(folder, { url: git.repository('submodule') }).catch((error: { reason: string }) =>
      expect(error.reason).toBe('SOURCE_REFUSED'),
    )
    expectUntouched(folder)
  })

  test.each([
    [
      'redirects elsewhere',
      (url: string) => ({ status: 302, headers: { location: `${url}/good.git/info/refs` } }),
      'SOURCE_REFUSED',
    ],
    ['is not there', () => ({ status: 404, headers: {} }), 'SOURCE_NOT_FOUND'],
    ['wants a password', () => ({ status: 401, headers: { 'www-authenticate': 'Basic' } }), 'SOURCE_NOT_FOUND'],
    ['is a page', () => ({ status: 200, headers: { 'content-type': 'text/html' } }), 'SOURCE_NOT_FOUND'],
  ])('whose host %s ends with a code', async (_name, answer, reason) => {
    git.intercept((request, response) => {
      if (!request.url?.startsWith('/odd.git')) return false
      const { status, headers } = answer(git.url)
      response.writeHead(status, headers as Record<string, string>).end('hello')
      return true
    })
    await expect(fetchGit(await sandbox(), { url: git.repository('odd') })).rejects.toMatchObject({ reason })
  })
})

describe('a path of the app', () => {
  const plan = { preset: 'CUSTOM', dockerfileContent: null } as BuildPlan
  const writing = { buildVariables: [], cacheScope: null }

  test.each(['../Dockerfile', '/etc/passwd', 'link', 'up/passwd'])('%s is no Dockerfile', async (dockerfilePath) => {
    const tree = await sandbox()
    await symlink('/etc/passwd', join(tree, 'link'))
    await symlink('/etc', join(tree, 'up'))
    const read = dockerfileFor({ ...plan, dockerfilePath }, tree, tree, writing)
    await expect(read).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
  })

  test.each(['..', '/etc', 'up', 'missing'])('%s is no context', async (contextDir) => {
    const tree = await sandbox()
    await symlink('/etc', join(tree, 'up'))
    await expect(contextFolder(tree, contextDir)).rejects.toMatchObject({ reason: 'SOURCE_REFUSED' })
  })
})
