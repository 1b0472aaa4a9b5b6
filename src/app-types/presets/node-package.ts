import { BuildFailure } from '../../domain/build-failure.ts'
import type { DockerfileRequest, PackageFacts } from './preset.ts'

/** How one package manager installs exactly what its lock file says. */
interface PackageManager {
  name: string
  lockFiles: readonly string[]
  install: string
  installForProduction: string
  /** Folder of downloads that are worth keeping from one build to the next. */
  cache: string
  /** pnpm and yarn come with Node.js, and have to be switched on. */
  isSwitchedOn: boolean
}

const NPM_QUIET = '--no-audit --no-fund'

const PNPM: PackageManager = {
  name: 'pnpm',
  lockFiles: ['pnpm-lock.yaml'],
  install: 'pnpm install --frozen-lockfile',
  installForProduction: 'pnpm install --frozen-lockfile --prod',
  cache: '/root/.local/share/pnpm/store',
  isSwitchedOn: true,
}

const YARN: PackageManager = {
  name: 'yarn',
  lockFiles: ['yarn.lock'],
  install: 'yarn install --frozen-lockfile',
  installForProduction: 'yarn install --frozen-lockfile --production',
  cache: '/usr/local/share/.cache/yarn',
  isSwitchedOn: true,
}

/** From version 2 on, yarn keeps its settings in a file of its own and has other flags. */
const YARN_BERRY: PackageManager = {
  ...YARN,
  install: 'yarn install --immutable',
  installForProduction: 'yarn workspaces focus --all --production',
  cache: '/root/.yarn/berry/cache',
}

const NPM: PackageManager = {
  name: 'npm',
  lockFiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  install: `npm ci ${NPM_QUIET}`,
  installForProduction: `npm ci --omit=dev ${NPM_QUIET}`,
  cache: '/root/.npm',
  isSwitchedOn: false,
}

/** Nothing says which versions: what is built today need not be what was built yesterday. */
const NPM_UNLOCKED: PackageManager = {
  ...NPM,
  lockFiles: [],
  install: `npm install ${NPM_QUIET}`,
  installForProduction: `npm install --omit=dev ${NPM_QUIET}`,
}

/** The package manager whose lock file is there; npm where none is. */
export function packageManagerOf(files: ReadonlySet<string>): PackageManager {
  const yarn = files.has('.yarnrc.yml') ? YARN_BERRY : YARN
  return [PNPM, yarn, NPM].find(({ lockFiles }) => lockFiles.some((file) => files.has(file))) ?? NPM_UNLOCKED
}

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

/** Copying only what decides the dependencies keeps them cached while the program changes. */
export function installLines(request: DockerfileRequest, { forProduction = false } = {}): string[] {
  requirePackage(request)
  const { facts, hasCacheMounts } = request
  const manager = packageManagerOf(facts.files)
  const copied = [...SETTINGS_FILES, ...manager.lockFiles].filter((file) => facts.files.has(file)).sort()
  const mount = hasCacheMounts ? `--mount=type=cache,target=${manager.cache} ` : ''
  const command = forProduction ? manager.installForProduction : manager.install
  return [
    ...(manager.isSwitchedOn ? ['RUN corepack enable'] : []),
    `COPY ${copied.join(' ')} ./`,
    // A package without dependencies leaves no folder, which a later stage copies.
    `RUN ${mount}${command} && mkdir -p node_modules`,
  ]
}

/** Variables of the build are named in the stage that builds only, so that the final image's history has none. */
export const variableLines = ({ buildVariables }: DockerfileRequest): string[] =>
  [...buildVariables].sort().map((name) => `ARG ${name}`)

/** A program that is started by node itself gets the signals that a package manager would swallow. */
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
