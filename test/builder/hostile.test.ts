import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../src/builder/archive/extract.ts'
import { withBaseImages } from '../../src/builder/dockerfile/base-images.ts'
import { contextFolder, dockerfileFor } from '../../src/builder/dockerfile/dockerfile.ts'
import { locateSource, type SourceTools } from '../../src/builder/locate-source.ts'
import type { SourceReader } from '../../src/builder/source-reader/source-reader.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'
import { parseBuildArgs } from '../../src/domain/build-args.ts'
import type { BuildPlan } from '../../src/domain/build-plan.ts'
import { parseImageReference } from '../../src/domain/image-reference.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { hostileArchives } from './hostile-archives.ts'
import { hostileDockerfiles } from './hostile-dockerfiles.ts'
import { commitEntry, harmlessTrees, hostileNames } from './hostile-trees.ts'
import { hostileAddresses, hostileBuildArgs, hostileImages, hostilePaths, privateAddresses } from './hostile-words.ts'

const MB = 1024 * 1024
const limits = { maxBytes: 5 * MB, maxFiles: 200, timeoutSeconds: 20 }

let root: string
let git: GitServer
let reader: SourceReader & AsyncDisposable

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-hostile-'))
  reader = startSourceReader(root, { heapMb: 128, readingSeconds: 20, cpuSeconds: 60 })
  git = await startGitServer()
  git.commit('good', { 'file.txt': 'good' })
})

afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await git?.close()
  await rm(root, { recursive: true, force: true })
  console.info(`hostile sources: ${counts.refused} of ${counts.tried} refused`)
})

/** Counts every hostile case in this file; the last line prints both counts. */
const counts = { tried: 0, refused: 0 }

async function expectRefused(attack: Promise<unknown>, reason: string): Promise<void> {
  counts.tried += 1
  await expect(attack).rejects.toMatchObject({ reason })
  counts.refused += 1
}

/** The same for a reported problem rather than a thrown one. */
function expectProblem(read: object): void {
  counts.tried += 1
  expect(read).toEqual({ problem: expect.any(String) })
  counts.refused += 1
}

let sandboxes = 0
async function sandbox(): Promise<string> {
  sandboxes += 1
  const folder = join(root, String(sandboxes), 'inner')
  await mkdir(folder, { recursive: true })
  return folder
}

/** No files outside the sandbox, and no traces of a successful attack. */
function expectUntouched(folder: string): void {
  expect(readdirSync(join(folder, '..'))).toEqual(['inner'])
  expect(existsSync('/tmp/berth-pwned')).toBe(false)
}

test.each(hostileArchives)('an archive with %s is refused', async (_name, archive, reason) => {
  const folder = await sandbox()
  const file = join(root, `archive-${sandboxes}`)
  await writeFile(file, await archive())
  await expectRefused(extractArchive(file, folder, limits, AbortSignal.timeout(60_000)), reason)
  expectUntouched(folder)
})

const fetchGit = async (
  folder: string,
  source: { url: string; branch?: string | null; commit?: string | null },
  tools = {},
) => {
  const plain = { kind: 'git', branch: null, commit: null, installationId: null, ...source } as const
  const all: SourceTools = {
    limits,
    uploads: root,
    allowsPrivateHosts: true,
    gitHub: null,
    signal: AbortSignal.timeout(60_000),
    ...tools,
  }
  return (await (await locateSource(plain, folder, all)).fetch(reader))?.folder ?? null
}

describe('an address or a branch', () => {
  test.each(hostileAddresses)('%s %s is refused', async (url, branch) => {
    const folder = await sandbox()
    const source = { url: url.replace('GOOD', git.repository('good')), branch }
    await expectRefused(fetchGit(folder, source), 'SOURCE_REFUSED')
    expectUntouched(folder)
  })

  test.each(privateAddresses)('%s is private, and refused unless that is allowed', async (url) => {
    await expectRefused(fetchGit(await sandbox(), { url }, { allowsPrivateHosts: false }), 'SOURCE_REFUSED')
  })
})

describe('a repository', () => {
  let odd = 0

  test('without hostile parts is fetched: the newest commit, without history, hooks or git’s own folder', async () => {
    const tree = await fetchGit(await sandbox(), { url: git.repository('good'), branch: 'main' })
    expect(readdirSync(tree ?? '')).toEqual(['file.txt'])
  })

  test.each([
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
    await expectRefused(fetchGit(folder, { url: git.repository(repository) }), reason)
    expectUntouched(folder)
  })

  test.each(hostileNames.flatMap((name) => [[name, '100644'] as const, [name, '40000'] as const]))(
    'with an entry named %j (%s) is refused',
    async (name, mode) => {
      odd += 1
      commitEntry(git, `entry-${odd}`, name, mode)
      const folder = await sandbox()
      await expectRefused(fetchGit(folder, { url: git.repository(`entry-${odd}`) }), 'SOURCE_REFUSED')
      expectUntouched(folder)
    },
  )

  test('with an ordinary entry, created in the same way, is fetched', async () => {
    commitEntry(git, 'plain-entry', 'plain', '40000')
    const tree = await fetchGit(await sandbox(), { url: git.repository('plain-entry') })
    expect(readdirSync(join(tree ?? '', 'plain'))).toEqual(['config'])
  })

  test('whose .gitmodules is a link, or names a program, is refused', async () => {
    commitEntry(git, 'linked-modules', '.gitmodules', '120000')
    const url = '--upload-pack=touch /tmp/berth-pwned'
    git.commit('modules', { '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ${url}\n` })
    for (const name of ['linked-modules', 'modules']) {
      const folder = await sandbox()
      await expectRefused(fetchGit(folder, { url: git.repository(name) }), 'SOURCE_REFUSED')
      expectUntouched(folder)
    }
  })

  test.each(harmlessTrees)('with %s is fetched as it is, without effect', async (name, files) => {
    const repository = name.replaceAll(' ', '-')
    git.commit(repository, files)
    const folder = await sandbox()
    const tree = (await fetchGit(folder, { url: git.repository(repository) })) ?? ''
    for (const [path, content] of Object.entries(files)) expect(await readFile(join(tree, path), 'utf8')).toBe(content)
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
  ])('whose host %s fails with a code', async (_name, answer, reason) => {
    git.intercept((request, response) => {
      if (!request.url?.startsWith('/odd.git')) return false
      const { status, headers } = answer(git.url)
      response.writeHead(status, headers as Record<string, string>).end('hello')
      return true
    })
    await expectRefused(fetchGit(await sandbox(), { url: git.repository('odd') }), reason)
  })
})

describe('a path of the app', () => {
  const plan = { preset: 'CUSTOM', dockerfileContent: null } as BuildPlan
  const writing = { buildVariables: [], cacheScope: null }

  test.each(hostilePaths.dockerfilePath)('%s is no Dockerfile', async (dockerfilePath) => {
    const tree = await sandbox()
    await symlink('/etc/passwd', join(tree, 'link'))
    await symlink('/etc', join(tree, 'up'))
    const read = dockerfileFor({ ...plan, dockerfilePath }, tree, tree, writing)
    await expectRefused(read, 'SOURCE_REFUSED')
  })

  test.each(hostilePaths.contextDir)('%s is no build context', async (contextDir) => {
    const tree = await sandbox()
    await symlink('/etc', join(tree, 'up'))
    await expectRefused(contextFolder(tree, contextDir), 'SOURCE_REFUSED')
  })
})

test.each(hostileDockerfiles)('a Dockerfile with %s is refused', async (_name, dockerfile) => {
  const find = async (name: string) => ({ name, triggers: [] })
  await expectRefused(withBaseImages(dockerfile.join('\n'), {}, find), 'DOCKERFILE_INVALID')
})

test.each(hostileImages)('%j is no image, in FROM or in a deployment', async (image) => {
  expectProblem(parseImageReference(image))
  const find = async (name: string) => ({ name, triggers: [] })
  const from = withBaseImages('ARG BASE\nFROM $BASE', { BASE: image }, find)
  await expectRefused(from, 'DOCKERFILE_INVALID')
})

test.each(hostileBuildArgs.map((text) => [text.slice(0, 60), text]))(
  'build arguments %j are refused',
  (_name, text) => {
    expectProblem(parseBuildArgs(text))
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(existsSync('/tmp/berth-pwned')).toBe(false)
  },
)
