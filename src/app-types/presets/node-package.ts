import { BuildFailure } from '../../domain/build-failure.ts'
import { packageManagerOf } from './package-manager.ts'
import type { DockerfileRequest, PackageFacts } from './preset.ts'

export function requirePackage({ facts }: DockerfileRequest): PackageFacts {
  if (facts.packageJson) return facts.packageJson
  throw new BuildFailure(
    'PRESET_NOT_APPLICABLE',
    'There is no package.json in the build context, which the preset needs',
  )
}

export function requireScript(request: DockerfileRequest, script: string): void {
  if (requirePackage(request).scripts[script] !== undefined) return
  throw new BuildFailure('PRESET_NOT_APPLICABLE', `package.json has no script "${script}", which the preset runs`)
}

const SETTINGS_FILES = ['.npmrc', '.yarnrc.yml', '.yarnrc', 'pnpm-workspace.yaml', 'package.json']

/**
 * Copying only the files that decide the dependencies keeps them cached while the program changes. If installing needs
 * more of the source, all of it is copied.
 */
export function installLines(request: DockerfileRequest, { forProduction = false } = {}): string[] {
  const { files, registryVariables } = request.facts
  const manager = packageManagerOf(files)
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

/** Node starts the program itself: a package manager would swallow its signals. */
export function startCommand({ scripts, main }: PackageFacts, files: ReadonlySet<string>): string[] {
  const start = scripts.start
  if (start !== undefined) return /^node( [\w./=-]+)+$/.test(start) ? start.split(' ') : ['npm', 'start']
  const entry = [main, 'server.js', 'index.js', 'app.js'].find((file) => file && files.has(file.replace(/^\.\//, '')))
  if (entry) return ['node', entry]
  throw new BuildFailure(
    'PRESET_NOT_APPLICABLE',
    'package.json has no script "start", and there is no server.js or index.js',
  )
}
