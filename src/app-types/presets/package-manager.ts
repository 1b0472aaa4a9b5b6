/** How one package manager installs exactly what its lock file says. */
export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn'
  lockFiles: readonly string[]
  install: string
  installForProduction: string
  /** Takes what is only for development out of what is installed. */
  prune: string
  /** Folder of downloads that are worth keeping from one build to the next. */
  cache: string
  /** What makes it ready where only Node.js is. */
  setUp: readonly string[]
}

const NPM_QUIET = '--no-audit --no-fund'

const PNPM: PackageManager = {
  name: 'pnpm',
  lockFiles: ['pnpm-lock.yaml'],
  install: 'pnpm install --frozen-lockfile',
  installForProduction: 'pnpm install --frozen-lockfile --prod',
  // It asks before it removes anything, unless nobody can be there to answer.
  prune: 'CI=true pnpm prune --prod --ignore-scripts',
  cache: '/root/.local/share/pnpm/store',
  setUp: ['RUN corepack enable'],
}

const YARN: PackageManager = {
  name: 'yarn',
  lockFiles: ['yarn.lock'],
  install: 'yarn install --frozen-lockfile',
  installForProduction: 'yarn install --frozen-lockfile --production',
  prune: 'yarn install --frozen-lockfile --production --ignore-scripts --prefer-offline',
  cache: '/usr/local/share/.cache/yarn',
  setUp: ['RUN corepack enable'],
}

/** From version 2 on, yarn keeps its settings in a file of its own, has other flags, and makes no node_modules by itself. */
const YARN_BERRY: PackageManager = {
  ...YARN,
  install: 'yarn install --immutable',
  installForProduction: 'yarn workspaces focus --all --production',
  prune: 'yarn workspaces focus --all --production',
  cache: '/root/.yarn/berry/cache',
  setUp: ['ENV YARN_NODE_LINKER=node-modules', 'RUN corepack enable'],
}

const NPM: PackageManager = {
  name: 'npm',
  lockFiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  install: `npm ci ${NPM_QUIET}`,
  installForProduction: `npm ci --omit=dev ${NPM_QUIET}`,
  prune: `npm prune --omit=dev ${NPM_QUIET}`,
  cache: '/root/.npm',
  setUp: [],
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
