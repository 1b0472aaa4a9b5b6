import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { afterAll, expect, test } from 'vitest'
import { dockerfileFor } from '../../src/builder/dockerfile/dockerfile.ts'
import { readFacts } from '../../src/builder/source-facts.ts'

const SOURCES = join(import.meta.dirname, '../sources')
const unseen = new Set(readdirSync(SOURCES))

/** As a worker asks for an app that was created without a preset. */
const written = (source: string) => {
  unseen.delete(source)
  const folder = join(SOURCES, source)
  const plan = { preset: 'CUSTOM', presetVersion: null, dockerfileContent: null, dockerfilePath: 'Dockerfile' }
  return dockerfileFor(plan, folder, folder, { buildVariables: [], cacheScope: null })
}

const commandOf = (dockerfile: string): unknown =>
  JSON.parse(DockerfileParser.parse(dockerfile).getCMDs().at(-1)?.getArgumentsContent() ?? 'null')

const PORT = '$' + '{PORT:-8000} '
const ANY = `0.0.0.0:${PORT}`
const NPM = 'RUN npm install --no-audit --no-fund'

/** Each source of test/sources that a preset fits: the preset, its sign, how it installs or builds, and what runs. */
const FITTING: [source: string, preset: string, sign: string, line: string, command: string | null][] = [
  ['angular', 'ANGULAR', 'package.json with @angular/core', 'RUN npm run build', null],
  ['astro', 'VITE', 'package.json with astro', 'RUN npm run build', null],
  ['astro-node', 'NODE_JS_INSTALL_BUILD_START', 'package.json with @astrojs/node', NPM, 'node dist/server/entry.mjs'],
  [
    'bun',
    'NODE_JS_INSTALL_BUILD_START',
    'package.json with a script "build" and a script "start"',
    'RUN npm install -g bun\nCOPY bun.lock package.json ./\nRUN bun install --frozen-lockfile',
    'node index.js',
  ],
  ['byte-order-mark', 'NODE_JS_INSTALL_START', 'package.json with a script "start"', 'RUN npm', 'node index.js'],
  [
    'django',
    'PYTHON',
    'requirements.txt',
    'RUN pip install --requirement requirements.txt',
    `/bin/sh -c exec gunicorn --bind ${ANY}shop.wsgi:application`,
  ],
  ['express', 'EXPRESS', 'package.json with express', 'RUN npm install --omit=dev', 'node server.js'],
  [
    'fastapi',
    'PYTHON',
    'pyproject.toml',
    'RUN pip install .',
    `/bin/sh -c exec python -m uvicorn --host 0.0.0.0 --port ${PORT}main:app`,
  ],
  [
    'flask',
    'PYTHON',
    'requirements.txt',
    'RUN pip install --requirement requirements.txt',
    `/bin/sh -c exec gunicorn --bind ${ANY}app:app`,
  ],
  ['flask-started', 'PYTHON', 'requirements.txt', 'RUN pip install', 'python app.py'],
  ['go', 'GO', 'go.mod', 'go build -trimpath -o /program .', '/usr/local/bin/program'],
  ['go-with-cmd', 'GO', 'go.mod', 'go build -trimpath -o /program ./cmd/server', '/usr/local/bin/program'],
  [
    'koa',
    'NODE_JS_INSTALL_START',
    'package.json with koa',
    NPM.replace('install', 'install --omit=dev'),
    'node src/server.js',
  ],
  ['main-in-a-folder', 'NODE_JS_INSTALL_START', 'package.json with lib/index.js', 'RUN npm', 'node lib/index.js'],
  ['named-manager', 'NODE_JS_INSTALL_START', 'package.json with koa', 'RUN pnpm install --prod &&', 'node index.js'],
  ['nest', 'NODE_JS_INSTALL_BUILD_START', 'package.json with @nestjs/core', 'RUN npm run build', 'node dist/main'],
  ['next', 'NEXT_JS', 'package.json with next', 'RUN npm run build', 'node node_modules/next/dist/bin/next start'],
  [
    'nuxt',
    'NODE_JS_INSTALL_BUILD_START',
    'package.json with nuxt',
    'RUN npm run build',
    'node .output/server/index.mjs',
  ],
  [
    'pnpm-workspace',
    'NODE_JS_INSTALL_BUILD_START',
    'package.json with the workspace package apps/web',
    'RUN pnpm --filter ./apps/web... run build && CI=true pnpm install --frozen-lockfile --prod',
    'npm --prefix apps/web start',
  ],
  [
    'pnpm-started',
    'NODE_JS_INSTALL_START',
    'package.json with workspaces',
    'RUN corepack enable && pnpm --version',
    'npm start',
  ],
  ['python-script', 'PYTHON', 'requirements.txt', 'RUN pip install', 'python main.py'],
  ['react-router', 'REMIX', 'package.json with @react-router/dev', 'RUN npm run build', 'npm start'],
  ['static', 'STATIC', 'index.html', 'COPY . /site', null],
  ['static-in-a-folder', 'STATIC', 'public/index.html', 'COPY public /site', null],
  [
    'sveltekit-node',
    'NODE_JS_INSTALL_BUILD_START',
    'package.json with @sveltejs/adapter-node',
    NPM,
    'node build/index.js',
  ],
  ['vite', 'VITE', 'package.json with vite', 'RUN npm run build', null],
  [
    'vite-with-server',
    'NODE_JS_INSTALL_BUILD_START',
    'package.json with a script "build" and express',
    'RUN npm run build',
    'node server.js',
  ],
  ['vue', 'VUE_JS', 'package.json with vue and vite', 'RUN npm run build', null],
]

test.each(FITTING)('%s is built by %s: there is %s', async (source, preset, sign, line, command) => {
  const { text, origin, installs } = await written(source)
  expect(origin).toMatch(new RegExp(`^the preset ${preset} \\(`))
  expect(origin).toContain(`there is no Dockerfile, and there is ${sign}. Set dockerPreset to choose another`)
  expect(installs).toBe(true)
  expect(text).toContain(line)
  expect((commandOf(text) as string[] | null)?.join(' ') ?? null).toBe(command)
  expect(validate(text).map(({ message }) => message)).toEqual([])
})

/** The others: why no preset is used, and what to do. */
const REFUSED: [source: string, reason: string, words: RegExp][] = [
  [
    'a-folder-around',
    'DOCKERFILE_NOT_FOUND',
    /none of package\.json, requirements\.txt, .* is there.*; contextDir may name the folder of shop\/package\.json/,
  ],
  ['a-library', 'DOCKERFILE_NOT_FOUND', /package\.json has no script "start", no "main" that is there/],
  [
    'bun-at-run-time',
    'PRESET_NOT_APPLICABLE',
    /NODE_JS_INSTALL_START \(package.json with a script "start"\): The script "start" of package.json runs bun/,
  ],
  [
    'documents',
    'DOCKERFILE_NOT_FOUND',
    /none of package\.json, requirements\.txt, pyproject\.toml, Pipfile, go\.mod, index\.html is there/,
  ],
  ['flask-without-server', 'PRESET_NOT_APPLICABLE', /Flask needs a server: add gunicorn to the packages/],
  ['go-with-two', 'PRESET_NOT_APPLICABLE', /found: cmd\/migrate, cmd\/server\. Add a Dockerfile/],
  [
    'npm-workspace',
    'DOCKERFILE_NOT_FOUND',
    /several packages start \(apps\/api, apps\/web\): give it a script "start"/,
  ],
  ['php', 'DOCKERFILE_NOT_FOUND', /no preset builds PHP \(composer\.json\): the builder NIXPACKS may/],
  ['sveltekit-auto', 'DOCKERFILE_NOT_FOUND', /SvelteKit needs @sveltejs\/adapter-node/],
]

test.each(REFUSED)('%s is refused with %s', async (source, reason, words) => {
  await expect(written(source)).rejects.toMatchObject({ reason, message: expect.stringMatching(words) })
})

test('another path of a Dockerfile is no reason to look for a preset', async () => {
  const folder = join(SOURCES, 'express')
  const plan = { preset: 'CUSTOM', presetVersion: null, dockerfileContent: null, dockerfilePath: 'deploy/Dockerfile' }
  const read = dockerfileFor(plan, folder, folder, { buildVariables: [], cacheScope: null })
  await expect(read).rejects.toMatchObject({ reason: 'DOCKERFILE_NOT_FOUND' })
})

test('facts are read again alike', async () => {
  const folder = join(SOURCES, 'pnpm-workspace')
  expect(await readFacts(folder)).toEqual(await readFacts(folder))
})

afterAll(() => expect([...unseen]).toEqual([]))
