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

/** Installs exactly the versions of package-lock.json, unless they are installed already. */
export async function installDependencies(root) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  // `npm ci` requires the lock file's binaries for every platform, even those that the registry in use does not
  // carry. An install that saves nothing takes the same versions without that.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  await oneAtATime(
    root,
    () => dependenciesAreCurrent(root),
    (onStart) =>
      step('Installing dependencies and Node.js 24', () => runQuietly(npm, args, { onStart }), installState(root)),
  )
}

/** npm itself is silent until it ends; the packages that it has unpacked can be counted. */
function installState(root) {
  const wanted = Object.entries(wantedPackages(root)).flatMap(([path, about]) =>
    path !== '' && isForThisMachine(about) ? [join(root, path, 'package.json')] : [],
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

/** npm writes its record of the installed packages last: no record, or another version, means to install. */
function dependenciesAreCurrent(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages
  const wanted = wantedPackages(root)
  return Object.entries(wanted).every(([path, { version, optional, devOptional, link }]) => {
    if (path === '' || link) return true
    const found = installed[path]
    // Optional packages are those of other platforms.
    return found ? found.version === version : Boolean(optional || devOptional)
  })
}

const wantedPackages = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
