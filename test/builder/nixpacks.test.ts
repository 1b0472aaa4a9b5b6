import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { nixpacksDockerfile } from '../../src/builder/nixpacks.ts'
import type { SourceReader } from '../../src/builder/source-reader/source-reader.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'

const program = fileURLToPath(import.meta.resolve('../support/nixpacks.mjs'))
let folder: string
let reader: SourceReader & AsyncDisposable

beforeAll(() => {
  reader = startSourceReader(tmpdir(), { heapMb: 128, readingSeconds: 20, cpuSeconds: 60 })
})
afterAll(() => reader[Symbol.asyncDispose]())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-nixpacks-'))
  for (const name of ['context', 'home']) mkdirSync(join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true }))

const MANIFEST = JSON.stringify({ scripts: { build: 'true', start: 'node .' } })

function write(files: Record<string, string>, changed: object = {}) {
  const context = join(folder, 'context')
  for (const [name, content] of Object.entries({ 'package.json': MANIFEST, ...files }))
    writeFileSync(join(context, name), content)
  const lines: string[] = []
  const given = {
    program,
    context,
    home: join(folder, 'home'),
    variables: {},
    cacheScope: null,
    reader,
    signal: new AbortController().signal,
  }
  return nixpacksDockerfile({ ...given, onLine: (line) => lines.push(line), ...changed })
}

test('a Dockerfile is written, and no file contains a variable’s value', async () => {
  const variables = { NIXPACKS_NODE_VERSION: '22', TOKEN: 'hunter2-hunter2', LD_PRELOAD: '/tmp/evil.so' }
  const { text, buildArgs } = await write({}, { variables })
  expect(text).toContain('ARG CI NIXPACKS_METADATA NODE_ENV NIXPACKS_NODE_VERSION')
  for (const name of Object.keys(variables)) expect(text).toContain(`\nARG ${name}\n`)
  expect(text).not.toContain('hunter2')
  expect(buildArgs).toMatchObject({ CI: 'true', NIXPACKS_NODE_VERSION: '22' })
  expect(buildArgs).not.toHaveProperty('TOKEN')
  expect(readdirSync(join(folder, 'context/.nixpacks'))).toEqual([expect.stringMatching(/^nixpkgs-\w+\.nix$/)])
})

test.each([
  [null, /RUN {2}true/],
  ['ours', /RUN --mount=type=cache,id=ours-cache/],
])('caches belong to the environment if the builder has any (%s)', async (cacheScope, expected) => {
  expect((await write({}, { cacheScope })).text).toMatch(expected)
})

test.each([
  ['SOURCE_REFUSED', { 'nixpacks.json': JSON.stringify({ staticAssets: { '../../../escaped': 'x' } }) }],
  ['SOURCE_REFUSED', { 'nixpacks.json': JSON.stringify({ staticAssets: { '/tmp/berth-escaped': 'x' } }) }],
  ['SOURCE_REFUSED', { 'nixpacks.json': JSON.stringify({ archive: '/../../../escaped' }) }],
  ['BUILD_FAILED', { 'package.json': 'no object' }],
])('is refused with %s: %j', async (reason, files: Record<string, string>) => {
  await expect(write(files)).rejects.toMatchObject({ reason })
  expect(readdirSync(folder).sort()).toEqual(['context', 'home'])
  expect(existsSync('/tmp/berth-escaped')).toBe(false)
})

test('ignores a file or link in the source with its folder’s name', async () => {
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync('../elsewhere', join(folder, 'context/.nixpacks'))
  await write({})
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
})

test('settings in a file anywhere on the machine are not read', async () => {
  const { buildArgs } = await write({}, { variables: { NIXPACKS_CONFIG_FILE: '/etc/passwd' } })
  expect(buildArgs).not.toHaveProperty('NIXPACKS_CONFIG_FILE')
})

test('a missing program, or one that never ends, is reported', async () => {
  await expect(write({}, { program: '/nonexistent/nixpacks' })).rejects.toMatchObject({
    reason: 'BUILDER_NOT_AVAILABLE',
  })
  const slow = join(folder, 'slow')
  writeFileSync(slow, '#!/bin/sh\nsleep 60\n', { mode: 0o755 })
  const late = new Error('too late')
  const timeout = new AbortController()
  setTimeout(() => timeout.abort(late), 100)
  await expect(write({}, { program: slow, signal: timeout.signal })).rejects.toBe(late)
})

test('a program with too much output is ended', async () => {
  const flood = join(folder, 'flood')
  writeFileSync(
    flood,
    '#!/bin/sh\nwhile :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done\n',
    { mode: 0o755 },
  )
  await expect(write({}, { program: flood })).rejects.toMatchObject({
    message: expect.stringContaining('more than 1 MB'),
  })
})
