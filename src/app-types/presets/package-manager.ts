import type { SourceFacts } from './preset.ts'

/** How a package manager installs exactly what its lock file says. */
export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun'
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
  // It asks before it removes anything, unless it has no terminal.
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

/** Installs and runs scripts; the program itself runs on Node.js. */
const BUN: PackageManager = {
  name: 'bun',
  lockFiles: ['bun.lock', 'bun.lockb'],
  install: 'bun install --frozen-lockfile',
  installForProduction: 'bun install --frozen-lockfile --production',
  prune: 'rm -rf node_modules && bun install --frozen-lockfile --production --ignore-scripts',
  cache: '/root/.bun/install/cache',
  setUp: ['RUN npm install -g bun'],
}

/** Without a lock file, the flag that insists on it is left out. */
const unlocked = (manager: PackageManager): PackageManager => {
  const loosely = (command: string) => command.replaceAll(/ --(frozen-lockfile|immutable)\b/g, '')
  const { install, installForProduction, prune } = manager
  return {
    ...manager,
    lockFiles: [],
    install: loosely(install),
    installForProduction: loosely(installForProduction),
    prune: loosely(prune),
  }
}

/** A monorepo's packages each have a node_modules, which `pnpm prune` leaves alone. */
const PNPM_WORKSPACE: PackageManager = {
  ...PNPM,
  prune: 'CI=true pnpm install --frozen-lockfile --prod --ignore-scripts --prefer-offline',
}

/** The package manager of the lock file, else the one that `packageManager` names; npm without either. */
export function packageManagerOf({ files, packageJson }: Pick<SourceFacts, 'files' | 'packageJson'>): PackageManager {
  const named = packageJson?.packageManager ?? null
  const isBerry = files.has('.yarnrc.yml') || (named?.name === 'yarn' && named.major >= 2)
  const yarn = isBerry ? YARN_BERRY : YARN
  const pnpm = packageJson?.workspaces ? PNPM_WORKSPACE : PNPM
  const known = [pnpm, yarn, NPM, BUN]
  const locked = known.filter(({ lockFiles }) => lockFiles.some((file) => files.has(file)))
  const manager = locked.find(({ name }) => name === named?.name) ?? locked[0]
  if (manager) return manager
  const unfixed = known.find(({ name }) => name === named?.name)
  return unfixed && unfixed.name !== 'npm' ? unlocked(unfixed) : NPM_UNLOCKED
}
