import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ProgramImage } from '../program-image.ts'

const VERSION = '5.87.1'
const HOME = '/var/lib/ghost'
const NPM = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps']
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2

const run = promisify(execFile)

export const ghost: ProgramImage = {
  name: 'ghost',
  reference: `ghost:${VERSION}`,
  about: `Ghost ${VERSION} of npm on Debian. Cannot show pictures being resized, or SQLite.`,
  packages: ['libstdc++6', 'gosu'],
  user: { name: 'node', id: 1000 },
  startsAsRoot: true,
  folders: [],
  volume: `${HOME}/content`,
  environment: {
    PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin',
    NODE_ENV: 'production',
    GHOST_INSTALL: HOME,
    GHOST_CONTENT: `${HOME}/content`,
    GHOST_NODE_VERSION_CHECK: 'false',
  },
  command: ['node', 'current/index.js'],
  workingFolder: HOME,
  async fill(folder) {
    const place = join(folder, HOME, 'current')
    await mkdir(join(folder, HOME, 'content'), { recursive: true })
    await mkdir(place)
    const { stdout } = await run('npm', ['pack', `ghost@${VERSION}`, '--silent', `--pack-destination=${folder}`])
    const archive = join(folder, stdout.trim())
    await run('tar', ['xzf', archive, '--strip-components=1', `--directory=${place}`])
    await rm(archive)
    await changeManifest(join(place, 'package.json'))
    // Its parts are archives inside the package, which npm finds only where the package itself is the project.
    await run('npm', ['install', ...NPM, `--prefix=${place}`], { cwd: place, maxBuffer: MAX_OUTPUT_BYTES })
    await copyFile(join(import.meta.dirname, 'config.production.json'), join(folder, HOME, 'config.production.json'))
    await copyFile(process.execPath, join(folder, 'usr/local/bin/node'))
  },
}

/**
 * Its parts name each other by versions that only its own resolutions lead to, which npm calls overrides. One package is
 * named by an address of a git host, instead of the same one of npm.
 */
async function changeManifest(path: string): Promise<void> {
  const { devDependencies: _development, ...manifest } = JSON.parse(await readFile(path, 'utf8'))
  const overrides = { ...manifest.resolutions, 'mock-knex': '0.4.13' }
  await writeFile(path, JSON.stringify({ ...manifest, overrides }))
}
