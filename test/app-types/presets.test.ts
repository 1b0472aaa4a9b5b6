import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import type { DockerfileRequest, SourceFacts } from '../../src/app-types/presets/preset.ts'
import { findBuildPreset, presetVersion } from '../../src/app-types/presets.ts'

const NAMES = ['NEXT_JS', 'REMIX', 'VITE', 'VUE_JS', 'EXPRESS', 'NODE_JS_INSTALL_START', 'NODE_JS_INSTALL_BUILD_START']
const ALL = [...NAMES, 'ANGULAR', 'METEOR_JS', 'NODE', 'METEOR', 'PYTHON', 'GO', 'STATIC']

const PACKAGE = {
  scripts: { build: 'build', start: 'node server.js' },
  main: null,
  entry: null,
  packages: new Set<string>(),
  packageManager: null,
  workspaces: null,
  installsFromSource: false,
}

const facts = (files: string[] = ['package.json', 'package-lock.json'], changed = {}): SourceFacts => ({
  files: new Set([...files, '.meteor', 'main.py', 'requirements.txt', 'go.mod', 'index.html']),
  packageJson: { ...PACKAGE, ...changed },
  python: {
    packages: new Set(),
    entry: { file: 'main.py', startsItself: true, application: null },
    wsgiModule: null,
  },
  goPrograms: ['.'],
  foldersBelow: new Map(),
  webProcess: null,
  requirementsNameFiles: false,
  registryVariables: new Set(['TOKEN']),
})

function write(name: string, changed: Partial<DockerfileRequest> = {}): string {
  const preset = findBuildPreset(name)
  if (!preset) throw new Error(`No preset ${name}`)
  const { defaultVersion: version } = preset
  return preset.dockerfile({ version, facts: facts(), buildVariables: [], cacheScope: null, ...changed })
}

/** Problems that editors' linters report, and rules that they lack. */
function problemsOf(dockerfile: string): string[] {
  const parsed = DockerfileParser.parse(dockerfile)
  const last = parsed
    .getInstructions()
    .slice(parsed.getInstructions().findLastIndex((one) => one.getKeyword() === 'FROM'))
  const of = (keyword: string, among = parsed.getInstructions()) => among.filter((one) => one.getKeyword() === keyword)
  const user = of('USER', last).at(-1)?.getArgumentsContent() ?? 'root'
  const bases = of('ARG').filter((one) => one.getArgumentsContent()?.includes('_IMAGE='))
  const froms = of('FROM').map((one) => one.getArgumentsContent()?.split(' ')[0]?.replace('$', ''))
  const named = bases.map((one) => one.getArgumentsContent()?.split('=')[0])
  return [
    ...validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    ...(/^(root|0)(:|$)/.test(user) ? ['runs as root'] : []),
    ...(froms.length > 1 ? [] : ['one stage only']),
    ...froms.filter((name) => !named.includes(name)).map((name) => `${name} cannot be replaced`),
    ...named.filter((name) => !froms.includes(name)).map((name) => `${name} is not used`),
    ...bases
      .filter((one) => !/=[a-z/-]+:\d[\w.-]+$/.test(one.getArgumentsContent() ?? '') || /latest/.test(one.toString()))
      .map((one) => `no version: ${one.getArgumentsContent()}`),
    ...[...of('CMD'), ...of('ENTRYPOINT')]
      .filter((one) => !one.getArgumentsContent()?.startsWith('['))
      .map((one) => `in the form of a shell: ${one.getArgumentsContent()}`),
  ]
}

test.each([
  ['FROM node:22\nRUNN npm ci\nUSER node', 'Unknown instruction: RUNN'],
  ['ARG A_IMAGE=node:latest\nFROM $A_IMAGE AS build\nFROM $A_IMAGE\nUSER node', 'no version: A_IMAGE=node:latest'],
  ['ARG A_IMAGE=node:22\nFROM $A_IMAGE AS a\nUSER node\nFROM $A_IMAGE\nCMD npm start', 'runs as root'],
  [
    'ARG A_IMAGE=node:22\nFROM $A_IMAGE AS a\nFROM $A_IMAGE\nUSER node\nCMD npm start',
    'in the form of a shell: npm start',
  ],
])('the linter reports for %j: %s', (dockerfile, expected) => {
  expect(problemsOf(dockerfile).join('\n')).toContain(expected)
})

function* every<A, B, C>(these: readonly A[], those: readonly B[], others: readonly C[]): Generator<[A, B, C]> {
  for (const one of these) for (const two of those) for (const three of others) yield [one, two, three]
}

describe.each(ALL)('the preset %s', (name) => {
  test('writes a Dockerfile without linter findings, in every version', () => {
    const versions = findBuildPreset(name)?.versions ?? []
    expect(versions.length).toBeGreaterThan(name === 'STATIC' ? 0 : 2)
    for (const [version, cacheScope, installsFromSource] of every(versions, [null, 'cache'], [false, true])) {
      const written = write(name, { version, cacheScope, facts: facts(undefined, { installsFromSource }) })
      expect(problemsOf(written), written).toEqual([])
    }
  })

  test('writes the same for equal sources, and names BUILD variables in no stage that runs', () => {
    const buildVariables = ['TOKEN', 'API_URL']
    const written = write(name, { buildVariables })
    expect(written).toBe(write(name, { buildVariables: buildVariables.toReversed() }))
    expect(written.split(/^FROM /m).at(-1)).not.toMatch(/TOKEN|API_URL/)
  })
})

// So that one of the two is built in test/app-types/preset-builds.test.ts.
test('the preset METEOR writes the Dockerfile of METEOR_JS', () => {
  for (const cacheScope of [null, 'cache'])
    expect(write('METEOR', { cacheScope })).toBe(write('METEOR_JS', { cacheScope }))
})

describe('versions', () => {
  const version = (name: string, given: string | null) => {
    const preset = findBuildPreset(name)
    return preset && presetVersion(preset, name, given)
  }
  test.each([
    ['EXPRESS', 'EXPRESS_NODE_JS_20', 'NODE_JS_20'],
    ['EXPRESS', 'EXPRESS_20', 'NODE_JS_20'],
    ['NEXT_JS', 'NEXT_JS_NODE_JS_22', 'NODE_JS_22'],
    ['NEXT_JS', null, 'NODE_JS_22'],
    ['METEOR_JS', 'METEOR_JS_3_5', '3_5'],
    ['METEOR', 'METEOR_3_0', '3_0'],
    ['PYTHON', 'PYTHON_3_13', '3_13'],
    ['NODE', 'NODE_24', 'NODE_JS_24'],
    ['EXPRESS', 'EXPRESS_NODE_JS_9', null],
  ])('%s: %s is %s', (name, given, expected) => expect(version(name, given)).toBe(expected))

  test('decide the base image', () => {
    const express = write('EXPRESS', { version: 'NODE_JS_20' })
    expect(express).toContain('ARG NODE_IMAGE=node:20-bookworm-slim')
    expect(express).toContain('ARG NODE_BUILD_IMAGE=node:20-bookworm\n')
    // There are no images of Node.js 14 on bookworm.
    expect(write('METEOR_JS', { version: '2_16' })).toContain('ARG NODE_IMAGE=node:14-bullseye-slim')
    expect(write('PYTHON', { version: '3_13' })).toContain('ARG PYTHON_IMAGE=python:3.13-slim-bookworm')
  })
})

describe('the package manager', () => {
  test.each([
    ['package-lock.json', 'RUN npm ci --omit=dev'],
    ['npm-shrinkwrap.json', 'RUN npm ci --omit=dev'],
    ['yarn.lock', 'RUN yarn install --frozen-lockfile --production'],
    ['pnpm-lock.yaml', 'RUN pnpm install --frozen-lockfile --prod'],
    ['README.md', 'RUN npm install --omit=dev'],
  ])('of a source with %s', (file, command) => {
    const written = write('EXPRESS', { facts: facts(['package.json', file]) })
    expect(written).toContain(command)
    const copied = file === 'README.md' ? ['package.json'] : [file, 'package.json'].sort()
    expect(new Set(/^COPY (.*) \.\/$/m.exec(written)?.[1]?.split(' '))).toEqual(new Set(copied))
  })

  test.each([
    ['package-lock.json', 'RUN npm run build && rm -rf node_modules'],
    ['yarn.lock', 'RUN yarn run build && rm -rf node_modules'],
    ['pnpm-lock.yaml', 'RUN pnpm run build && rm -rf node_modules'],
  ])('of a source with %s runs its build', (file, command) => {
    expect(write('REMIX', { facts: facts(['package.json', file]) })).toContain(command)
  })

  test('supports releases and settings of its own', () => {
    const written = write('EXPRESS', { facts: facts(['package.json', 'yarn.lock', '.yarnrc.yml', '.yarn']) })
    expect(written).toMatch(
      /ENV YARN_NODE_LINKER=node-modules[\s\S]*COPY .yarn .\/.yarn\nCOPY .yarnrc.yml package.json/,
    )
    expect(written).toContain('RUN yarn workspaces focus --all --production')
  })

  test('caches its downloads if the builder can, for this environment alone', () => {
    expect(write('EXPRESS', { cacheScope: 'ours' })).toContain(
      'RUN --mount=type=cache,id=ours-npm,target=/root/.npm npm ci',
    )
    expect(write('EXPRESS')).not.toContain('--mount')
  })

  test('gets exactly the variables that its registry settings refer to, in the stage that installs', () => {
    const [install] = write('EXPRESS', { buildVariables: ['OTHER', 'TOKEN'] }).split(/^RUN npm ci/m)
    expect(install).toContain('ARG TOKEN')
    expect(install).not.toContain('OTHER')
  })

  test('gets the whole source if its installation needs it', () => {
    const written = write('REMIX', { facts: facts(undefined, { installsFromSource: true }) })
    expect(written).toMatch(/COPY \. \.\nRUN npm ci/)
    expect(written).toMatch(/npm run build && npm prune --omit=dev/)
  })
})

describe('a Python program', () => {
  test.each([
    [
      ['uv.lock', 'pyproject.toml'],
      'uv sync --frozen --no-dev --no-editable --no-python-downloads --no-install-project',
    ],
    [['poetry.lock', 'pyproject.toml'], 'poetry install --only main --no-root'],
    [['Pipfile', 'Pipfile.lock'], 'pipenv sync'],
    [['requirements.txt'], 'pip install --requirement requirements.txt'],
  ])('with %s installs its packages from them', (files, command) => {
    const written = write('PYTHON', { facts: { ...facts(), files: new Set(['main.py', ...files]) } })
    expect(written).toContain(command)
    expect(problemsOf(written)).toEqual([])
  })
})

test.each([
  ['EXPRESS', { packageJson: null }, /no package.json/],
  ['VITE', { packageJson: { ...PACKAGE, scripts: {} } }, /no script "build"/],
  ['METEOR_JS', { files: new Set(['package.json']) }, /no folder .meteor/],
  ['PYTHON', { python: { ...facts().python, entry: null } }, /no main.py/],
  ['GO', { files: new Set(['main.go']) }, /no go.mod/],
  ['GO', { goPrograms: ['cmd/a', 'cmd/b'] }, /found: cmd\/a, cmd\/b/],
  ['STATIC', { files: new Set(['index.htm']) }, /none of index.html/],
])('%s reports what is missing', (name, changed, words) => {
  expect(() => write(name, { facts: { ...facts(), ...changed } })).toThrow(words)
})
