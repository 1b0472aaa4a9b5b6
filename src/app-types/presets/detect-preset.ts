import type { PackageFacts, SourceFacts } from './preset.ts'
import { pageFolder } from './static-site.ts'

/** What a source looks like: the preset that builds it and the sign that shows it, or why none does. */
export type Detected = { preset: string; sign: string } | { problem: string }

/** Files that say which language a source is in. The presets begin with the first ones. */
const PYTHON_FILES = ['requirements.txt', 'pyproject.toml', 'Pipfile', 'uv.lock', 'poetry.lock', 'manage.py']
const UNSUPPORTED: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/^(composer\.json|index\.php)$/, 'PHP'],
  [/^(Gemfile|config\.ru)$/, 'Ruby'],
  [/^Cargo\.toml$/, 'Rust'],
  [/^(pom\.xml|build\.gradle(\.kts)?)$/, 'Java'],
  [/^mix\.exs$/, 'Elixir'],
  [/^deno\.jsonc?$/, 'Deno'],
  [/^[^/]{1,100}\.(csproj|fsproj|sln)$/, '.NET'],
]
const NAMES_SHOWN = 5
const LOOKED_FOR = ['package.json', ...PYTHON_FILES.slice(0, 3), 'go.mod', 'index.html'].join(', ')

/** Files of which a folder that holds one looks like an app's. */
export const SIGNS: readonly string[] = ['package.json', ...PYTHON_FILES, 'go.mod', 'index.html', 'Dockerfile']

/** The preset that the files of a source without a Dockerfile show; the first that fits. */
export function detectPreset(facts: SourceFacts): Detected {
  const { files, packageJson, foldersBelow } = facts
  const node = packageJson ? detectNode(packageJson, files) : null
  if (node && 'preset' in node) return node
  const python = PYTHON_FILES.find((name) => files.has(name)) ?? facts.python.entry?.file
  if (python) return { preset: 'PYTHON', sign: python }
  if (files.has('go.mod')) return { preset: 'GO', sign: 'go.mod' }
  const page = pageFolder(facts)
  if (page !== null) return { preset: 'STATIC', sign: page === '.' ? 'index.html' : `${page}/index.html` }
  if (node) return node
  const other = [...files].flatMap((name) => {
    const language = UNSUPPORTED.find(([pattern]) => pattern.test(name))?.[1]
    return language ? [`no preset builds ${language} (${name.slice(0, 100)}): the builder NIXPACKS may`] : []
  })[0]
  const below = [...foldersBelow].filter(([, found]) => found.some((name) => SIGNS.includes(name)))
  const names = below.slice(0, NAMES_SHOWN).map(([folder, [first]]) => `${folder}/${first}`)
  const further = names.length > 0 ? `; contextDir may name the folder of ${names.join(', ')}` : ''
  return { problem: `${other ?? `none of ${LOOKED_FOR} is there, which presets begin with`}${further}` }
}

/** Programs that serve by themselves, so that what they build is not served as files. */
const SERVERS = ['express', 'koa', 'fastify', 'hono', '@hono/node-server', '@hapi/hapi', 'polka', 'h3']

function detectNode(facts: PackageFacts, files: ReadonlySet<string>): Detected {
  const { scripts, entry } = facts
  const packages = new Set([
    ...facts.packages,
    ...(facts.workspaces?.length === 1 ? (facts.workspaces[0]?.packages ?? []) : []),
  ])
  const isWorkspace = facts.workspaces !== null
  const found = (preset: string, by: string): Detected => ({ preset, sign: `package.json with ${by}` })
  const has = (...names: string[]) => names.find((name) => packages.has(name))
  const builds = scripts.build !== undefined
  if (files.has('.meteor')) return { preset: 'METEOR_JS', sign: '.meteor' }
  if (isWorkspace && (scripts.start !== undefined || facts.workspaces?.length === 1)) {
    const built = builds || facts.workspaces?.[0]?.scripts.build !== undefined
    const of = scripts.start === undefined ? `the workspace package ${facts.workspaces?.[0]?.folder}` : 'workspaces'
    return found(built ? 'NODE_JS_INSTALL_BUILD_START' : 'NODE_JS_INSTALL_START', of)
  }
  if (has('next') && builds) return found('NEXT_JS', 'next')
  const nuxt = has('nuxt', 'nuxt-nightly')
  if (nuxt && builds) return found('NODE_JS_INSTALL_BUILD_START', nuxt)
  const router = has('@react-router/dev', '@remix-run/dev', '@remix-run/serve')
  if (router && builds && scripts.start !== undefined) return found('REMIX', router)
  if (has('@sveltejs/kit') && builds) {
    if (has('@sveltejs/adapter-node')) return found('NODE_JS_INSTALL_BUILD_START', '@sveltejs/adapter-node')
    if (has('@sveltejs/adapter-static')) return found('VITE', '@sveltejs/adapter-static')
    return { problem: 'SvelteKit needs @sveltejs/adapter-node, for a server, or @sveltejs/adapter-static, for files' }
  }
  if (has('@astrojs/node') && builds) return found('NODE_JS_INSTALL_BUILD_START', '@astrojs/node')
  if (has('astro') && builds) return found('VITE', 'astro')
  if (has('@nestjs/core') && builds) return found('NODE_JS_INSTALL_BUILD_START', '@nestjs/core')
  if (has('@angular/core') && builds) return found('ANGULAR', '@angular/core')
  const server = has(...SERVERS)
  const site = has('vite', 'react-scripts', '@vue/cli-service', 'parcel')
  const servesItself = server !== undefined || /^(node|tsx|ts-node|pm2) /.test(scripts.start ?? '')
  if (site && builds && !servesItself) {
    return has('vue') ? found('VUE_JS', `vue and ${site}`) : found('VITE', site)
  }
  const starts = scripts.start !== undefined || entry !== null
  const way = server ?? (scripts.start === undefined ? `${entry}` : 'a script "start"')
  if (builds && (starts || facts.main !== null))
    return found('NODE_JS_INSTALL_BUILD_START', `a script "build" and ${starts ? way : '"main"'}`)
  if (server === 'express' && starts) return found('EXPRESS', server)
  if (starts) return found('NODE_JS_INSTALL_START', way)
  if (facts.workspaces && facts.workspaces.length > 1) {
    const names = facts.workspaces.slice(0, NAMES_SHOWN).map(({ folder }) => folder)
    return {
      problem: `package.json is of a workspace in which several packages start (${names.join(', ')}): give it a script "start" that starts the one to run, such as npm --prefix ${names[0]} start`,
    }
  }
  return {
    problem: 'package.json has no script "start", no "main" that is there, and no server.js, index.js or app.js',
  }
}
