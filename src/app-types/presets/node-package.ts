import { BuildFailure } from '../../domain/build-failure.ts'
import { packageManagerOf } from './package-manager.ts'
import type { DockerfileRequest, PackageFacts, WorkspacePackage } from './preset.ts'

const NAMES_SHOWN = 5
const NAME_CHARACTERS = 60

export function requirePackage({ facts }: DockerfileRequest): PackageFacts {
  if (facts.packageJson) return facts.packageJson
  throw new BuildFailure(
    'PRESET_NOT_APPLICABLE',
    'There is no package.json in the build context, which the preset needs',
  )
}

export function requireScript(request: DockerfileRequest, script: string): void {
  const facts = requirePackage(request)
  if (facts.scripts[script] !== undefined || startedWorkspace(facts)?.scripts[script] !== undefined) return
  throw new BuildFailure('PRESET_NOT_APPLICABLE', `package.json has no script "${script}", which the preset runs`)
}

const SETTINGS_FILES = ['.npmrc', '.yarnrc.yml', '.yarnrc', 'pnpm-workspace.yaml', 'package.json']

/**
 * Copying only the files that decide the dependencies keeps them cached while the program changes. If installing needs
 * more of the source, all of it is copied.
 */
export function installLines(request: DockerfileRequest, { forProduction = false } = {}): string[] {
  const { files, registryVariables } = request.facts
  const manager = packageManagerOf(request.facts)
  const { installsFromSource } = requirePackage(request)
  const copied = [...SETTINGS_FILES, ...manager.lockFiles].filter((file) => files.has(file)).sort()
  const { install, prune, installForProduction } = manager
  const production = installsFromSource ? `${install} && ${prune}` : installForProduction
  return [
    ...manager.setUp,
    // Releases and plug-ins that a project includes.
    ...(files.has('.yarn') && !installsFromSource ? ['COPY .yarn ./.yarn'] : []),
    installsFromSource ? 'COPY . .' : `COPY ${copied.join(' ')} ./`,
    ...variableLines(request, (name) => registryVariables.has(name)),
    // A package without dependencies creates no folder, and a later stage copies that folder.
    `RUN ${cacheMount(request, manager.name, manager.cache)}${forProduction ? production : install} && mkdir -p node_modules`,
  ]
}

/** Only builds of the same environment write to the cache. */
export const cacheMount = ({ cacheScope }: DockerfileRequest, name: string, folder: string): string =>
  cacheScope === null ? '' : `--mount=type=cache,id=${cacheScope}-${name},target=${folder} `

/** Build variables are declared in build stages only, so that the final image's history has none. */
export const variableLines = ({ buildVariables }: DockerfileRequest, isWanted = (_name: string) => true): string[] =>
  buildVariables
    .filter(isWanted)
    .sort()
    .map((name) => `ARG ${name}`)

/** What builds it: the script "build" of the package, or of the one package of a monorepo that starts. */
export function buildCommand(request: DockerfileRequest): string {
  const { name } = packageManagerOf(request.facts)
  const started = startedWorkspace(requirePackage(request))
  if (!started || requirePackage(request).scripts.build !== undefined) return `${name} run build`
  if (name === 'pnpm') return `pnpm --filter ./${started.folder}... run build`
  if (name === 'yarn') return `yarn workspace ${started.name} run build`
  return name === 'npm'
    ? `npm run build --workspace=${started.folder}`
    : `cd ${started.folder} && bun run build && cd /app`
}

/** The package of a monorepo that is run: the only one with a script "start". */
export const startedWorkspace = ({ scripts, workspaces }: PackageFacts): WorkspacePackage | null =>
  scripts.start === undefined && workspaces?.length === 1 ? (workspaces[0] ?? null) : null

const NODE_COMMAND = /^node( [\w./=-]+)+$/

/** What the output of a framework is started with, where package.json only has a command for development. */
const BUILT_ENTRIES: readonly (readonly [framework: string, start: RegExp | null, entry: string])[] = [
  ['nuxt', /^nuxt/, '.output/server/index.mjs'],
  ['@sveltejs/adapter-node', /^vite/, 'build/index.js'],
  ['@astrojs/node', /^astro/, 'dist/server/entry.mjs'],
  // After `start:prod`, which Nest’s own template has.
  ['@nestjs/core', /^nest /, 'dist/main.js'],
]

function builtEntry({ scripts, packages }: PackageFacts): string | null {
  const found = BUILT_ENTRIES.find(([name, start]) => {
    return packages.has(name) && (scripts.start === undefined || start?.test(scripts.start))
  })
  return found?.[2] ?? null
}

/** Node starts the program itself: a package manager would swallow its signals. */
export function startCommand(facts: PackageFacts, { isBuilt }: { isBuilt: boolean }): string[] {
  const { scripts, main, entry } = facts
  const { start } = scripts
  if (start !== undefined && /^bunx? /.test(start)) {
    throw new BuildFailure(
      'PRESET_NOT_APPLICABLE',
      'The script "start" of package.json runs bun, and the preset’s image has Node.js: start it with node, or add a Dockerfile',
    )
  }
  const built = isBuilt ? builtEntry(facts) : null
  const production = scripts['start:prod'] ?? ''
  if (built && NODE_COMMAND.test(production)) return production.split(' ')
  if (built) return ['node', built]
  if (start !== undefined) return NODE_COMMAND.test(start) ? start.split(' ') : ['npm', 'start']
  const started = startedWorkspace(facts)
  if (started) return ['npm', '--prefix', started.folder, 'start']
  // What the build writes is not there yet.
  const found = entry ?? (isBuilt ? main : null)
  if (found) return ['node', found]
  throw new BuildFailure('PRESET_NOT_APPLICABLE', missingStart(facts))
}

/**
 * For a script "start" that runs pnpm or yarn, such as `pnpm --filter web start`: the program itself, where every user
 * finds it, and not only the one that fetches it when it is first run.
 */
export function startedManagerLines({ scripts }: PackageFacts): string[] {
  const [, manager] = /(?:^|[\s;&|(])(pnpm|yarn)(?=\s)/.exec(scripts.start ?? '') ?? []
  if (manager === undefined) return []
  return [
    'ENV COREPACK_HOME=/usr/local/share/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0',
    `RUN corepack enable && ${manager} --version`,
  ]
}

function missingStart({ main, workspaces }: PackageFacts): string {
  if (workspaces && workspaces.length > 1) {
    const names = workspaces.slice(0, NAMES_SHOWN).map(({ folder }) => folder)
    return `package.json has no script "start", and several packages of the workspace have one (${names.join(', ')}): add a script "start" that starts the one to run, such as npm --prefix ${names[0]} start`
  }
  const other =
    main === null ? '' : `, there is no file ${JSON.stringify(main.slice(0, NAME_CHARACTERS))}, which "main" names,`
  return `package.json has no script "start"${other} and there is no server.js, index.js or app.js`
}
