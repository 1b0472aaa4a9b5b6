import { execFileSync } from 'node:child_process'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Docker from 'dockerode'
import type { Pack } from 'tar-stream'
import { addFile, addPrograms, importRoot } from '../../scripts/image-root.ts'

/** Stands in for `node:<n>-bookworm-slim`: this machine's node and npm, a shell, and the programs that builds call. */
const NODE_IMAGE = `berth-stand-in-node:${process.versions.node}`

/** Stands in for `nginxinc/nginx-unprivileged`: serves /usr/share/nginx/html on PORT by a program for Node.js. */
const STATIC_IMAGE = `berth-stand-in-static:${process.versions.node}`

const SHELL_PROGRAMS = ['rm', 'mkdir', 'mv', 'cp', 'cat', 'sleep', 'ls', 'dd', 'id']

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

/** What presets build from, made on this machine; their Dockerfiles take them as build arguments. */
export async function ensureBuildImages(docker = new Docker()): Promise<BuildImages> {
  const changes = ['ENV PATH=/usr/local/bin:/usr/bin:/bin']
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

const has = (docker: Docker, image: string): Promise<boolean> =>
  docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    )

const pathOf = (program: string): string =>
  realpathSync(execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim())

async function addToolchain(archive: Pack): Promise<void> {
  const programs = Object.fromEntries(SHELL_PROGRAMS.map((name) => [`usr/bin/${name}`, pathOf(name)]))
  await addPrograms(archive, {
    ...programs,
    'bin/sh': pathOf('sh'),
    'usr/bin/env': pathOf('env'),
    'usr/bin/node': realpathSync(process.execPath),
  })
  const npm = dirname(dirname(pathOf('npm')))
  await addTree(archive, npm, 'usr/lib/node_modules/npm')
  archive.entry({ name: 'usr/bin/npm', type: 'symlink', linkname: '../lib/node_modules/npm/bin/npm-cli.js' })
}

async function addTree(archive: Pack, folder: string, below: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path)
    if (found.isDirectory()) await addTree(archive, path, `${below}/${name}`)
    else await addFile(archive, `${below}/${name}`, path)
  }
}
