/** How a package manager installs exactly what its lock file says. */
export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn'
  lockFiles: readonly string[]
  install: string
  installForProduction: string
  /** Removes development dependencies from an installation. */
  prune: string
  /** Download folder worth caching between builds. */
  cache: string
  /** Makes it available where only Node.js is installed. */
  setUp: readonly string[]
}

const NPM_QUIET = '--no-audit --no-fund'

const PNPM: PackageManager = {
  name: 'pnpm',
  lockFiles: ['pnpm-lock.yaml'],
  install: 'pnpm install --frozen-lockfile',
  installForProduction: 'pnpm install --frozen-lockfile --prod',
  // It asks before it removes anything, unless nobody can answer.
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

/** From version 2, yarn has its own settings file and other flags, and creates no node_modules by default. */
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

/** Nothing fixes the versions: today's build may differ from yesterday's. */
const NPM_UNLOCKED: PackageManager = {
  ...NPM,
  lockFiles: [],
  install: `npm install ${NPM_QUIET}`,
  installForProduction: `npm install --omit=dev ${NPM_QUIET}`,
}

/** The package manager of the lock file; npm without one. */
export function packageManagerOf(files: ReadonlySet<string>): PackageManager {
  const yarn = files.has('.yarnrc.yml') ? YARN_BERRY : YARN
  return [PNPM, yarn, NPM].find(({ lockFiles }) => lockFiles.some((file) => files.has(file))) ?? NPM_UNLOCKED
}
