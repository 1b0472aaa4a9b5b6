import { describe, expect, test } from 'vitest'
import { findBuildPreset, presetVersion } from '../../src/app-types/presets/build-presets.ts'
import type { DockerfileRequest, SourceFacts } from '../../src/app-types/presets/preset.ts'

const NAMES = ['NEXT_JS', 'REMIX', 'VITE', 'VUE_JS', 'EXPRESS', 'NODE_JS_INSTALL_START', 'NODE_JS_INSTALL_BUILD_START']
const ALL = [...NAMES, 'ANGULAR', 'METEOR_JS', 'NODE', 'METEOR', 'PYTHON']

const facts = (files: string[] = ['package.json', 'package-lock.json']): SourceFacts => ({
  files: new Set([...files, '.meteor', 'main.py', 'requirements.txt']),
  packageJson: { scripts: { build: 'build', start: 'node server.js' }, dependencies: new Set(), main: null },
  webProcess: null,
})

function write(name: string, changed: Partial<DockerfileRequest> = {}): string {
  const preset = findBuildPreset(name)
  if (!preset) throw new Error(`No preset ${name}`)
  const { defaultVersion: version } = preset
  return preset.dockerfile({ version, facts: facts(), buildVariables: [], hasCacheMounts: false, ...changed })
}

/** What linters of Dockerfiles object to most, as far as it can be told from the text. */
function problemsOf(dockerfile: string): string[] {
  const lines = dockerfile.split('\n').filter((line) => line !== '')
  const stages = dockerfile.split(/^FROM /m).slice(1)
  const last = stages.at(-1) ?? ''
  const known = /^(ARG|FROM|WORKDIR|COPY|RUN|ENV|USER|CMD) \S/
  return [
    ...lines.filter((line) => !known.test(line)).map((line) => `not an instruction: ${line}`),
    ...(/^USER (node|\d+)$/m.test(last) ? [] : ['runs as root']),
    ...(/^USER 0$/m.test(last) ? ['runs as root'] : []),
    ...(/^ARG \w+=\S+:(?!latest)\S+$/m.test(dockerfile) ? [] : ['the base image has no version']),
    ...(/^(CMD|ENTRYPOINT) (?!\[)/m.test(dockerfile) ? ['a command in the form of a shell'] : []),
    ...(/\bsudo\b|\bapt-get\b|^ADD /m.test(dockerfile) ? ['what no preset needs'] : []),
    ...(stages.length > 1 ? [] : ['one stage only']),
    ...(/COPY \. \.[\s\S]*RUN [^\n]*(npm ci|--frozen-lockfile|--immutable)/.test(stages[0] ?? '') &&
    !dockerfile.includes('meteor')
      ? ['installs after copying everything, so that nothing is cached']
      : []),
  ]
}

describe.each(ALL)('the preset %s', (name) => {
  test('writes a Dockerfile that linters have nothing against, in every version', () => {
    const versions = findBuildPreset(name)?.versions ?? []
    expect(versions.length).toBeGreaterThan(2)
    for (const version of versions) expect(problemsOf(write(name, { version })), version).toEqual([])
  })

  test('writes the same for the same, and names BUILD variables in no stage that runs', () => {
    const buildVariables = ['TOKEN', 'API_URL']
    const written = write(name, { buildVariables })
    expect(written).toBe(write(name, { buildVariables: buildVariables.toReversed() }))
    expect(written.split(/^FROM /m).at(-1)).not.toMatch(/TOKEN|API_URL/)
  })
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
    expect(write('EXPRESS', { version: 'NODE_JS_20' })).toContain('ARG NODE_IMAGE=node:20-bookworm-slim')
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

  test('keeps its downloads where the builder can', () => {
    expect(write('EXPRESS', { hasCacheMounts: true })).toContain('RUN --mount=type=cache,target=/root/.npm npm ci')
    expect(write('EXPRESS')).not.toContain('--mount')
  })
})

test.each([
  ['EXPRESS', { packageJson: null }, /no package.json/],
  ['VITE', { packageJson: { scripts: {}, dependencies: new Set<string>(), main: null } }, /no script "build"/],
  ['METEOR_JS', { files: new Set(['package.json']) }, /no folder .meteor/],
  ['PYTHON', { files: new Set(['requirements.txt']) }, /no main.py/],
])('%s says what it misses', (name, changed, words) => {
  expect(() => write(name, { facts: { ...facts(), ...changed } })).toThrow(words)
})
