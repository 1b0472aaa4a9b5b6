import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addFile, addPrograms, importRoot } from '../../scripts/image-root.ts'

/** Images are kept from one run to the next, as long as the files that build them stay the same. */
export const versionOf = (madeBy: string): string =>
  `${process.versions.node}-${createHash('sha256').update(readFileSync(madeBy)).digest('hex').slice(0, 8)}`

/**
 * Stands in for `node:<n>-bookworm-slim` and `node:<n>-bookworm`: this machine's node and npm, a shell, and the
 * programs that builds call. pnpm and yarn come from this project's own dependencies instead of corepack's download.
 */
const NODE_IMAGE = `berth-stand-in-node:${versionOf(import.meta.filename)}`

/** Stands in for `nginxinc/nginx-unprivileged`: a Node.js program that serves /usr/share/nginx/html on PORT. */
const STATIC_IMAGE = `berth-stand-in-static:${versionOf(import.meta.filename)}`

const SHELL_PROGRAMS = ['rm', 'mkdir', 'mv', 'cp', 'cat', 'sleep', 'ls', 'dd', 'id', 'chmod', 'sed', 'dirname', 'uname']

/** Corepack chooses yarn by the same files as the real one: the classic program, or the new one. */
const COREPACK = `#!/bin/sh
set -e
[ "$1" = enable ]
printf '#!/bin/sh\\nexec node /opt/pnpm/bin/pnpm.cjs "$@"\\n' > /usr/bin/pnpm
printf '#!/bin/sh\\n[ -f .yarnrc.yml ] && exec node /opt/yarn-berry/bin/yarn.js "$@"\\nexec node /opt/yarn/bin/yarn.js "$@"\\n' > /usr/bin/yarn
chmod 755 /usr/bin/pnpm /usr/bin/yarn
`
const PACKAGE_MANAGERS = {
  pnpm: import.meta.resolve('pnpm'),
  yarn: import.meta.resolve('yarn/package.json'),
  'yarn-berry': import.meta.resolve('@yarnpkg/cli-dist/package.json'),
}

const SERVER = `
const { createServer } = require('node:http'), { readFileSync, existsSync } = require('node:fs')
const root = '/usr/share/nginx/html'
if (!readFileSync('/etc/nginx/templates/default.conf.template', 'utf8').includes('listen $PORT')) process.exit(4)
createServer((request, response) => {
  const path = root + new URL(request.url, 'http://site').pathname
  const file = path.endsWith('/') || !existsSync(path) ? root + '/index.html' : path
  response.end(readFileSync(file))
}).listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`

export interface BuildImages {
  node: string
  static: string
}

/**
 * Package managers ask no registry for a newer version of themselves. Node.js keeps no compiled code in a step's layer,
 * where nothing reads it again: writing it takes 40 % of the processor time of an `npm install`.
 */
export const STAND_IN_ENVIRONMENT = [
  'ENV PATH=/usr/local/bin:/usr/bin:/bin',
  'ENV npm_config_update_notifier=false PIP_DISABLE_PIP_VERSION_CHECK=1 NODE_DISABLE_COMPILE_CACHE=1',
]

/** Base images for presets, built on this machine; their Dockerfiles take them as build arguments. */
export async function ensureBuildImages(docker = new Docker()): Promise<BuildImages> {
  const changes = STAND_IN_ENVIRONMENT
  if (!(await has(docker, NODE_IMAGE))) await importRoot(docker, NODE_IMAGE, addToolchain, changes)
  if (!(await has(docker, STATIC_IMAGE))) {
    const fill = async (archive: Pack) => {
      await addToolchain(archive)
      archive.entry({ name: 'serve.cjs' }, SERVER)
    }
    await importRoot(docker, STATIC_IMAGE, fill, [...changes, 'CMD ["node", "/serve.cjs"]'])
  }
  return { node: NODE_IMAGE, static: STATIC_IMAGE }
}

/** The build arguments with which presets use these instead of the real ones. */
export const baseImageArgs = (images: BuildImages) => ({
  NODE_IMAGE: images.node,
  NODE_BUILD_IMAGE: images.node,
  STATIC_IMAGE: images.static,
})

export const has = (docker: Docker, image: string): Promise<boolean> =>
  docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    )

const pathOf = (program: string): string =>
  realpathSync(execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim())

/** Other programs are added with it, since an archive may contain their shared libraries only once. */
export async function addToolchain(archive: Pack, others: Readonly<Record<string, string>> = {}): Promise<void> {
  const programs = Object.fromEntries(SHELL_PROGRAMS.map((name) => [`usr/bin/${name}`, pathOf(name)]))
  const all = {
    ...programs,
    ...others,
    'bin/sh': pathOf('sh'),
    'usr/bin/env': pathOf('env'),
    'usr/bin/node': realpathSync(process.execPath),
  }
  await addPrograms(archive, all, librariesOfC())
  const npm = dirname(dirname(pathOf('npm')))
  await addTree(archive, npm, 'usr/lib/node_modules/npm')
  archive.entry({ name: 'usr/bin/npm', type: 'symlink', linkname: '../lib/node_modules/npm/bin/npm-cli.js' })
  archive.entry({ name: 'usr/bin/corepack', mode: 0o755 }, COREPACK)
  for (const [name, manifest] of Object.entries(PACKAGE_MANAGERS)) {
    await addTree(archive, dirname(fileURLToPath(manifest)), `opt/${name}`)
  }
}

/** The C library's own, which every image of Debian has: add-ons of npm packages name them. */
function librariesOfC(): string[] {
  const listed = execFileSync('ldd', ['--', process.execPath], { encoding: 'utf8' })
  const folder = dirname(/=> (\/\S*\/libc\.so\.6) /.exec(listed)?.[1] ?? '')
  return ['librt.so.1', 'libutil.so.1', 'libresolv.so.2', 'libpthread.so.0', 'libdl.so.2']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
}

async function addTree(archive: Pack, folder: string, below: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path)
    if (found.isDirectory()) await addTree(archive, path, `${below}/${name}`)
    else await addFile(archive, `${below}/${name}`, path)
  }
}
