import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { finished } from '../../../scripts/base-image.ts'
import { DEBIAN_ROOT, isProgramImageCurrent, programRecipeOf, RECIPE_LABEL } from './ensure-program-image.ts'
import { PROGRAM_IMAGES } from './list.ts'
import type { ProgramImage } from './program-image.ts'

const ENTRYPOINT = 'usr/local/bin/docker-entrypoint.sh'
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2
const NPM = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error']

/** Run by `ensureProgramImage`, which holds a lock meanwhile: `node make-program-image.ts <name>`. */
async function make(name: string | undefined): Promise<void> {
  const image = PROGRAM_IMAGES.find((one) => one.name === name)
  if (!image) throw new Error(`There is no recipe ${name}`)
  const docker = new Docker()
  // Another process may have made it while this one waited for the lock.
  if (await isProgramImageCurrent(docker, image)) return
  const since = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'program-'))
  try {
    await chmod(folder, 0o755)
    await fill(image, folder)
    await importRoot(docker, image, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
  const { Size } = await docker.getImage(image.reference).inspect()
  console.info(
    `Made ${image.reference}: ${Math.round(Size / 1e6)} MB in ${Math.round((performance.now() - since) / 1000)} s`,
  )
}

/** What lies over the packages of Debian. */
async function fill(image: ProgramImage, folder: string): Promise<void> {
  const { name, id } = image.user
  await mkdir(join(folder, 'etc'), { recursive: true })
  const home = image.workingFolder
  await writeFile(
    join(folder, 'etc/passwd'),
    `root:x:0:0:root:/root:/bin/bash\n${name}:x:${id}:${id}::${home}:/bin/bash\n`,
  )
  await writeFile(join(folder, 'etc/group'), `root:x:0:\n${name}:x:${id}:\n`)
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
  await copyFile(join(import.meta.dirname, image.name, 'entrypoint.sh'), join(folder, ENTRYPOINT))
  await chmod(join(folder, ENTRYPOINT), 0o755)
  if (image.npm) await addNpmPackages(image, folder)
  await image.fill?.(folder)
  for (const owned of [...(image.volume === null ? [] : [image.volume]), ...image.folders]) {
    const path = join(folder, owned)
    await mkdir(path, { recursive: true })
    await chown(path, id, id)
  }
}

async function addNpmPackages(
  { npm = [], npmFolder = '/app', overrides = {}, compiled = [] }: ProgramImage,
  folder: string,
): Promise<void> {
  const place = join(folder, npmFolder)
  const run = promisify(execFile)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'package.json'), JSON.stringify({ private: true, overrides }))
  await run('npm', [...NPM, `--prefix=${place}`, ...npm], { maxBuffer: MAX_OUTPUT_BYTES })
  const node = compiled.length > 0 ? await compile(place, compiled) : process.execPath
  await copyFile(node, join(folder, 'usr/local/bin/node'))
}

/** Returns the Node.js that the packages are compiled for. */
async function compile(place: string, packages: readonly string[]): Promise<string> {
  const run = promisify(execFile)
  // The Node.js that the project installs for itself comes without the headers that compilers need.
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .join(delimiter)
  const options = { cwd: place, env: { ...process.env, PATH }, maxBuffer: MAX_OUTPUT_BYTES }
  await run('npm', ['rebuild', ...packages], options)
  for (const name of packages) await run('node', ['-e', `require(${JSON.stringify(name)})`], options)
  return (await run('node', ['-p', 'process.execPath'], options)).stdout.trim()
}

async function importRoot(docker: Docker, image: ProgramImage, folder: string): Promise<void> {
  const assembled = spawn(DEBIAN_ROOT, [folder, ...image.packages], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(assembled, 'exit')
  const [repo, tag] = image.reference.split(':')
  await finished(docker, await docker.importImage(assembled.stdout, { repo, tag, changes: await changesOf(image) }))
  const [code] = await ended
  if (code === 0) return
  await docker.getImage(image.reference).remove({ force: true })
  throw new Error(`The packages ${image.packages.join(', ')} cannot be assembled; the lines before this one say why`)
}

const changesOf = async (image: ProgramImage): Promise<string[]> => [
  ...Object.entries(image.environment).map(([name, value]) => `ENV ${name}=${value}`),
  `LABEL berth.stand-in=${JSON.stringify(image.about)}`,
  `LABEL ${RECIPE_LABEL}=${await programRecipeOf(image)}`,
  ...(image.volume === null ? [] : [`VOLUME ${image.volume}`]),
  `WORKDIR ${image.workingFolder}`,
  ...(image.startsAsRoot ? [] : [`USER ${image.user.id}:${image.user.id}`]),
  'ENTRYPOINT ["docker-entrypoint.sh"]',
  `CMD ${JSON.stringify(image.command)}`,
]

await make(process.argv[2])
