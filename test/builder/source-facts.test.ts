import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readFacts } from '../../src/builder/source-facts.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-facts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const factsOf = (files: Record<string, string>) => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return readFacts(folder)
}

describe('a package installs from its source', () => {
  test.each([
    [true, { scripts: { postinstall: 'prisma generate' } }],
    [true, { scripts: { prepare: 'husky' } }],
    [true, { workspaces: ['packages/*'] }],
    [true, { dependencies: { ours: 'file:vendor/ours' } }],
    [true, { devDependencies: { ours: 'link:../ours' } }],
    [true, { optionalDependencies: { ours: './ours.tgz' } }],
    [
      false,
      { scripts: { build: 'vite build', start: 'node .' }, dependencies: { vite: '^8.0.0', left: 'npm:right@1' } },
    ],
    [false, {}],
  ])('%s: %j', async (expected, manifest) => {
    const { packageJson } = await factsOf({ 'package.json': JSON.stringify(manifest) })
    expect(packageJson?.installsFromSource).toBe(expected)
  })

  test.each([
    [true, 'packages:\n  - apps/*\n'],
    [false, 'onlyBuiltDependencies:\n  - sharp\n'],
  ])('%s: by a pnpm-workspace.yaml of %j', async (expected, workspace) => {
    const { packageJson } = await factsOf({ 'package.json': '{}', 'pnpm-workspace.yaml': workspace })
    expect(packageJson?.installsFromSource).toBe(expected)
  })
})

test.each([
  [true, 'flask==3.0\n-r base.txt\n'],
  [true, '-e .\n'],
  [true, '--constraint constraints.txt\n'],
  [true, './wheels/ours-1.0-py3-none-any.whl\n'],
  [true, 'ours @ file:///app/ours\n'],
  [false, 'flask==3.0 # see ./README\nours @ https://example.com/ours.tar.gz\nuvicorn[standard]>=0.30\n'],
])('requirements that name other files: %s for %j', async (expected, requirements) => {
  expect(await factsOf({ 'requirements.txt': requirements })).toMatchObject({ requirementsNameFiles: expected })
})

test('the variables of a registry are those of its settings', async () => {
  const { registryVariables } = await factsOf({
    '.npmrc': `//npm.example.com/:_authToken=$\{NPM_TOKEN}\n`,
    '.yarnrc.yml': `npmAuthToken: "$\{YARN_TOKEN:-none}"\n`,
  })
  expect(registryVariables).toEqual(new Set(['NPM_TOKEN', 'YARN_TOKEN']))
})

test('links are not read', async () => {
  writeFileSync(join(folder, 'elsewhere.json'), '{ "scripts": { "build": "true" } }')
  symlinkSync('elsewhere.json', join(folder, 'package.json'))
  expect((await readFacts(folder)).packageJson).toBeNull()
})

test('folders with the names of files are ignored', async () => {
  for (const name of ['package.json', 'Procfile', 'requirements.txt', '.npmrc']) mkdirSync(join(folder, name))
  expect(await readFacts(folder)).toMatchObject({ packageJson: null, webProcess: null })
})

test('a requirements.txt of empty lines is read quickly', async () => {
  const facts = await factsOf({ 'requirements.txt': `${' \n'.repeat(50_000)}./wheels/a.whl` })
  expect(facts.requirementsNameFiles).toBe(true)
})
