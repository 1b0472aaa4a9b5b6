import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { oneAtATime } from './one-at-a-time.mjs'
import { runQuietly, SetupError, step } from './step.mjs'

const OLDEST_NODE = 20

export function checkNode() {
  const [major] = process.versions.node.split('.').map(Number)
  if (major >= OLDEST_NODE) return
  throw new SetupError(
    `Berth needs Node.js ${OLDEST_NODE} or newer to set itself up, and this is ${process.version}.\n` +
      'Get one from https://nodejs.org, or with your package manager.',
  )
}

/**
 * Installs exactly the versions of package-lock.json, unless they are installed already: what running needs, and with
 * `withDevelopment` what tests, checks and benchmarks need as well. A folder that has those keeps them.
 */
export async function installDependencies(root, { withDevelopment }) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const isCurrent = () => missingPackages(root, withDevelopment).length === 0
  await oneAtATime(root, isCurrent, (onStart) => {
    const isWhole = withDevelopment || hasDevelopmentPackages(root)
    // `npm ci` removes node_modules first. Where packages are installed, a Berth that runs still reads them, and most of
    // them are the right ones: an install that saves nothing changes the others only.
    const command = isInstalled(root) ? ['install', '--no-save'] : ['ci']
    const args = [...command, '--no-audit', '--no-fund', '--loglevel=error']
    if (!isWhole) args.push('--omit=dev')
    const label = isWhole ? 'Installing all dependencies, and Node.js 24' : 'Installing dependencies, and Node.js 24'
    return step(label, () => runQuietly(npm, args, { onStart }), installState(root, isWhole))
  })
}

/** npm itself is silent until it ends; the packages that it has unpacked can be counted. */
function installState(root, isWhole) {
  const wanted = Object.entries(wantedPackages(root, isWhole)).flatMap(([path, about]) =>
    isForThisMachine(about) ? [manifestOf(root, path)] : [],
  )
  return () => {
    const there = wanted.filter((manifest) => existsSync(manifest)).length
    return there < wanted.length ? `${there} of ${wanted.length} packages` : 'running install scripts'
  }
}

/** Packages with a program for some platforms name them. Other optional ones are there or not. */
const isForThisMachine = ({ os, cpu, libc, optional }) =>
  (!optional || os || cpu) &&
  (!os || os.includes(process.platform)) &&
  (!cpu || cpu.includes(process.arch)) &&
  (!libc || libc.includes(ownLibc()))

const ownLibc = () => (process.report?.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl')

/** The Node.js that runs Berth: the one among its dependencies, whatever the machine has. */
export function berthNode(root) {
  const bundled = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(bundled)) return bundled
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new SetupError(
    'npm did not run the install script of the package "node", which brings Node.js 24.\n' +
      'Allow install scripts (npm config set ignore-scripts false), remove node_modules and start again.',
  )
}

/**
 * Packages that are not installed in the version of package-lock.json. npm writes its record of the installed packages
 * last; without it, or where a folder is gone that it names, they are missing.
 */
function missingPackages(root, withDevelopment) {
  const installed = installedPackages(root)
  return Object.entries(wantedPackages(root, withDevelopment)).flatMap(([path, { version, optional, devOptional }]) => {
    const found = installed[path]
    // Optional packages are those of other platforms.
    const isThere = found ? found.version === version && existsSync(manifestOf(root, path)) : optional || devOptional
    return isThere ? [] : [path]
  })
}

/** Whether the folder has what only development needs: a package that is there for nothing else. */
const hasDevelopmentPackages = (root) => {
  const installed = installedPackages(root)
  return Object.entries(lockedPackages(root)).some(([path, { dev, optional }]) => dev && !optional && installed[path])
}

const recordOf = (root) => join(root, 'node_modules', '.package-lock.json')

const isInstalled = (root) => existsSync(recordOf(root))

const installedPackages = (root) => (isInstalled(root) ? JSON.parse(readFileSync(recordOf(root), 'utf8')).packages : {})

const wantedPackages = (root, withDevelopment) =>
  Object.fromEntries(
    Object.entries(lockedPackages(root)).filter(
      ([path, { dev, link }]) => path !== '' && !link && (withDevelopment || !dev),
    ),
  )

const lockedPackages = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

const manifestOf = (root, path) => join(root, path, 'package.json')
