import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { finished } from '../../../scripts/base-image.ts'
import type { EngineVersion } from '../../../src/app-types/engines/engine.ts'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { isCurrent, RECIPE_LABEL, recipeOf, STAND_IN_LABEL } from './ensure-image.ts'
import { STAND_INS } from './list.ts'
import type { StandIn } from './stand-in.ts'

const ENTRYPOINT = 'usr/local/bin/docker-entrypoint.sh'

/** Run by `ensureEngineImages`, which holds a lock meanwhile: `node make-image.ts <PRESET>`. */
async function make(name: string | undefined): Promise<void> {
  const [standIn, engine] = [STAND_INS.find((one) => one.engine === name), findEngine(name ?? '')]
  if (!standIn || !engine) throw new Error(`No stand-in is described for ${name}`)
  const docker = new Docker()
  // Another process may have made it while this one waited for the lock.
  if (await isCurrent(docker, standIn)) return
  const started = performance.now()
  const root = `berth-stand-in-${standIn.engine.toLowerCase()}:${await recipeOf(standIn)}`
  await removeOlder(docker, root)
  await importRoot(docker, standIn, root)
  for (const version of engine.versions) await tag(docker, standIn, root, version)
  const { Size } = await docker.getImage(root).inspect()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.info(`Made ${root} for ${name}: ${Math.round(Size / 1e6)} MB in ${seconds} s`)
}

async function removeOlder(docker: Docker, root: string): Promise<void> {
  const older = await docker.listImages({ filters: { reference: [root.replace(/:.*/, '')] } })
  for (const { RepoTags } of older)
    for (const reference of RepoTags ?? []) await docker.getImage(reference).remove({ force: true })
}

/** Packages, and the files of the recipe over them. */
async function importRoot(docker: Docker, standIn: StandIn, reference: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stand-in-'))
  try {
    await chmod(folder, 0o755)
    await addFiles(standIn, folder)
    const assembled = spawn(join(import.meta.dirname, 'debian-root.sh'), [folder, ...standIn.packages], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SUITE: standIn.suite ?? '' },
    })
    const ended = once(assembled, 'exit')
    const [repo, tag] = reference.split(':')
    await finished(docker, await docker.importImage(assembled.stdout, { repo, tag }))
    const [code] = await ended
    if (code === 0) return
    await docker.getImage(reference).remove({ force: true })
    throw new Error(
      `The packages ${standIn.packages.join(', ')} cannot be assembled; the lines before this one say why`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function addFiles(standIn: StandIn, folder: string): Promise<void> {
  const { name, id, home } = standIn.user
  await mkdir(join(folder, 'etc'), { recursive: true })
  await writeFile(
    join(folder, 'etc/passwd'),
    `root:x:0:0:root:/root:/bin/bash\n${name}:x:${id}:${id}::${home}:/bin/bash\n`,
  )
  await writeFile(join(folder, 'etc/group'), `root:x:0:\n${name}:x:${id}:\n`)
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
  await copyFile(join(folderOf(standIn), 'entrypoint.sh'), join(folder, ENTRYPOINT))
  await chmod(join(folder, ENTRYPOINT), 0o755)
  await standIn.fill?.(folder)
  const versions = findEngine(standIn.engine)?.versions ?? []
  for (const owned of [home, ...versions.map(standIn.volume), ...standIn.folders]) {
    // /var/run is a link to it.
    const path = join(folder, owned.replace(/^\/var\/run\//, '/run/'))
    await mkdir(path, { recursive: true })
    await chown(path, id, id)
  }
}

const folderOf = ({ engine }: StandIn): string => join(import.meta.dirname, engine.toLowerCase())

/** Names it as the official image of this version. */
async function tag(docker: Docker, standIn: StandIn, root: string, version: EngineVersion): Promise<void> {
  const labels = { [STAND_IN_LABEL]: standIn.about, [RECIPE_LABEL]: await recipeOf(standIn) }
  const lines = [
    `FROM ${root}`,
    ...Object.entries(standIn.environment(version)).map(([name, value]) => `ENV ${name}=${value}`),
    ...Object.entries(labels).map(([name, value]) => `LABEL ${name}=${JSON.stringify(value)}`),
    `VOLUME ${standIn.volume(version)}`,
    `WORKDIR ${standIn.workingFolder ?? '/'}`,
    `ENTRYPOINT ["docker-entrypoint.sh"]`,
    `CMD ${JSON.stringify(standIn.command)}`,
  ]
  const context = pack()
  context.entry({ name: 'Dockerfile' }, lines.join('\n'))
  context.finalize()
  await finished(docker, await docker.buildImage(Readable.from(context), { t: version.image }))
}

await make(process.argv[2])
