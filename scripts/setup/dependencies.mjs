import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { machineMemory } from '../../src/platform/machine-memory.mjs'
import { makeOnce } from './make-once.mjs'
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
export async function installDependencies(root, { withDevelopment, memory = machineMemory() }) {
  const isCurrent = () => missingPackages(root, withDevelopment).length === 0
  await makeOnce(root, 'dependencies', isCurrent, async (onStart, isCutOff) => {
    const isWhole = withDevelopment || hasDevelopmentPackages(root)
    assertMemory(memory)
    const label = isWhole ? 'Installing all dependencies, and Node.js 24' : 'Installing dependencies, and Node.js 24'
    const install = memory.availableMb < LITTLE_MEMORY_MB ? installInLittleMemory : installAtOnce
    await step(
      label,
      () => install(root, { isAnew: isCutOff, options: isWhole ? [] : ['--omit=dev'] }, onStart),
      installState(root, isWhole),
    )
  })
}

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

/** Where less is available, dependencies are installed in a way that takes half of the memory, and a little longer. */
const LITTLE_MEMORY_MB = 1_536
/**
 * What the set-up then takes at its peak, as measured: bundling 400 MB, or npm with development dependencies 380, and this
 * process 50. See docs/operating.md#memory.
 */
const SETUP_MB = 450

/** Without memory, the kernel would end npm in the middle, and its only word would be "Killed". */
function assertMemory({ availableMb, freeSwapMb }) {
  if (availableMb + freeSwapMb >= SETUP_MB || process.env.BERTH_IGNORE_MEMORY === 'true') return
  const swap = freeSwapMb > 0 ? ` and ${freeSwapMb} MB of swap` : ''
  throw new SetupError(
    `Setting Berth up takes ${SETUP_MB} MB of memory, and ${availableMb} MB${swap} are available here. Nothing was done yet.\n` +
      'Stop other programs, or add swap:\n' +
      '  fallocate -l 1G /swapfile && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile\n' +
      'To go on anyway: BERTH_IGNORE_MEMORY=true',
  )
}

/**
 * `npm ci` removes node_modules first. Where packages are installed, a Berth that runs still reads them, and most of them
 * are the right ones: an install that saves nothing changes the others only.
 */
const commandFor = (root, isAnew) => (isInstalled(root) && !isAnew ? ['install', '--no-save'] : ['ci'])

const installAtOnce = (root, { isAnew, options }, onStart) =>
  runQuietly(NPM, [...commandFor(root, isAnew), ...QUIET, ...options], { onStart })

/** Heaps that are collected before they grow, few arenas of the C library, and few packages unpacked at a time. */
const FRUGAL_NPM = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' }
const FRUGAL_HEAP = '--max-semi-space-size=2 --max-old-space-size=256'

/** The install scripts run when npm has ended: that of the package "node" is another npm. */
async function installInLittleMemory(root, { isAnew, options }, onStart) {
  const NODE_OPTIONS = [FRUGAL_HEAP, process.env.NODE_OPTIONS].filter(Boolean).join(' ')
  const environment = { ...FRUGAL_NPM, NODE_OPTIONS }
  const run = (args) => runQuietly(NPM, [...args, ...QUIET], { environment, onStart })
  const before = isAnew ? {} : installedPackages(root)
  await run([...commandFor(root, isAnew), '--ignore-scripts', '--maxsockets=2', ...options])
  const changed = changedWithScripts(root, before)
  if (changed.length === 0) return
  // Without npm's record, an install that ends before its scripts did is no install.
  const [record, unfinished] = [recordOf(root), `${recordOf(root)}.unfinished`]
  renameSync(record, unfinished)
  await run(['rebuild', '--foreground-scripts', ...changed])
  renameSync(unfinished, record)
}

/**
 * Packages that are new or have another version, and may run scripts: npm knows that list from version 11 on only. Scripts of
 * the others would replace what a Berth that runs is using.
 */
function changedWithScripts(root, before) {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const after = installedPackages(root)
  return Object.keys(allowScripts).filter((name) => {
    const path = `node_modules/${name}`
    return allowScripts[name] && after[path] && after[path].version !== before[path]?.version
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
 * last; without it, or where a folder is gone or empty that it names, they are missing.
 */
function missingPackages(root, withDevelopment) {
  const installed = installedPackages(root)
  return Object.entries(wantedPackages(root, withDevelopment)).flatMap(([path, { version, optional, devOptional }]) => {
    const found = installed[path]
    // Optional packages are those of other platforms.
    const isThere = found ? found.version === version && hasContent(manifestOf(root, path)) : optional || devOptional
    return isThere ? [] : [path]
  })
}

/** Whether the folder has what only development needs: a package that is there for nothing else. */
const hasDevelopmentPackages = (root) => {
  const installed = installedPackages(root)
  return Object.entries(lockedPackages(root)).some(([path, { dev, optional }]) => dev && !optional && installed[path])
}

const recordOf = (root) => join(root, 'node_modules', '.package-lock.json')

const isInstalled = (root) => readRecord(root) !== null

const installedPackages = (root) => readRecord(root) ?? {}

/** Null without a record, and where a power cut has left half of one. */
function readRecord(root) {
  try {
    return JSON.parse(readFileSync(recordOf(root), 'utf8')).packages ?? null
  } catch {
    return null
  }
}

const hasContent = (file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

const wantedPackages = (root, withDevelopment) =>
  Object.fromEntries(
    Object.entries(lockedPackages(root)).filter(
      ([path, { dev, link }]) => path !== '' && !link && (withDevelopment || !dev),
    ),
  )

const lockedPackages = (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

const manifestOf = (root, path) => join(root, path, 'package.json')
