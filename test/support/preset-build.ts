import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type Docker from 'dockerode'
import { DOCKERFILE_NAME, packContext } from '../../src/builder/context/build-context.ts'
import { dockerfileFor } from '../../src/builder/dockerfile/dockerfile.ts'
import { labelStages } from '../../src/builder/dockerfile/dockerfile-labels.ts'
import { newId } from '../../src/domain/ids.ts'
import { resourcesOf } from '../../src/domain/resources.ts'
import { dockerEngine } from './docker-engine.ts'

const PORT = 3000
const ANSWER_SECONDS = 20

/** Writes the files into a new folder, which is deleted on disposal. */
async function sourceFolder(files: Readonly<Record<string, string | Buffer>>) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-preset-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

export interface PresetBuild {
  preset: string
  files: Readonly<Record<string, string | Buffer>>
  /** Values of BUILD variables. */
  variables: Readonly<Record<string, string>>
  /** Base images. */
  buildArgs: Readonly<Record<string, string>>
}

/** Builds sources as a worker does, from the Dockerfile that their preset writes, with one of the engine's builders. */
export function createPresetBuilder(docker: Docker, builder: 'classic' | 'buildkit', installationId: string) {
  const { imageBuilder } = dockerEngine({ installationId, builder })
  const [appEnvId, accountId] = [newId('env'), newId('acc')]

  async function build({ preset, files, variables, buildArgs }: PresetBuild) {
    await using source = await sourceFolder(files)
    const traits = await imageBuilder.traits()
    const plan = { source: { kind: 'none' as const }, preset, presetVersion: null, contextDir: '/' }
    const none = { dockerfilePath: null, dockerfileContent: null, buildArgs: null, pullCredentialId: null }
    const given = { ...plan, ...none, builder: 'DOCKER', variables: [], isForced: false }
    const written = await dockerfileFor(given, source.folder, source.folder, {
      buildVariables: Object.keys(variables),
      cacheScope: traits.cacheScope(appEnvId),
    })
    const lines: string[] = []
    const { imageId } = await imageBuilder
      .build(
        {
          appEnvId,
          accountId,
          appId: newId('app'),
          contentId: newId('con'),
          operationId: newId('op'),
          name: `berth-${traits.namespace}/${preset.toLowerCase()}:${builder}`,
          context: packContext(source.folder, labelStages(written.text, traits.stageLabels(appEnvId))),
          dockerfile: DOCKERFILE_NAME,
          buildArgs: { ...variables, ...buildArgs },
          credentials: {},
          resources: resourcesOf({ zClouds: 2 }),
          processes: 1000,
          diskMb: 4096,
          onLine: (line) => lines.push(line),
        },
        { timeoutSeconds: 120 },
      )
      .catch((error: Error) => {
        throw new Error(`${error.message}\n${lines.join('\n')}`)
      })
    return { id: imageId, lines }
  }

  /** Runs the image unchanged, and sends a request once it answers. */
  async function ask(image: string, path: string): Promise<{ answer: string; uids: string[] }> {
    const container = await docker.createContainer({
      Image: image,
      Env: [`PORT=${PORT}`],
      HostConfig: { CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
    })
    try {
      await container.start()
      const { NetworkSettings } = await container.inspect()
      const url = `http://${NetworkSettings.Networks.bridge?.IPAddress}:${PORT}${path}`
      const answer = await firstAnswer(url).catch(async () => {
        throw new Error(`No answer: ${await container.logs({ stdout: true, stderr: true })}`)
      })
      const { Processes } = (await container.top({ ps_args: '-eo pid,uid' })) as { Processes: string[][] }
      return { answer, uids: Processes.map(([_pid, uid]) => uid?.trim() ?? '') }
    } finally {
      await container.remove({ force: true })
    }
  }

  return { build, ask }
}

async function firstAnswer(url: string): Promise<string> {
  const until = Date.now() + ANSWER_SECONDS * 1000
  for (;;) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
    if (response) return response.text()
    if (Date.now() > until) throw new Error(`Nothing answers at ${url}`)
    await sleep(50)
  }
}
