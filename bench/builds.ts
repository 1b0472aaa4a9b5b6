import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { newId } from '../src/domain/ids.ts'
import { familiarName } from '../src/domain/image-reference.ts'
import type { ImageBuilder } from '../src/engines/images/image-builder.ts'
import { ensureBuildImages } from '../test/support/build-images.ts'
import { BUILDER_IMAGE, builderImageProblem } from '../test/support/builder-image.ts'
import { dockerEngine } from '../test/support/docker-engine.ts'
import { removeEverything } from '../test/support/remove-everything.ts'
import type { BenchResult } from './bench-result.ts'
import { median } from './spread.ts'

const ROUNDS = 5
const RUN = randomUUID()
/** What a build in a builder of its own may take beyond one in the engine. */
const BEYOND_MS = 300
const FIRST_BEYOND_MS = 1_000

type Files = Record<string, string>

const big = (mb: number) =>
  `RUN ["node", "-e", ${JSON.stringify(`const fs = require('fs'), c = require('crypto'), f = fs.openSync('/big', 'w'); for (let n = 0; n < ${mb}; n += 1) fs.writeSync(f, c.randomBytes(1048576))`)}]`

const CASES: Record<string, (image: string, round: string) => Files> = {
  /** An image of some 500 MB, of which a small file changes. */
  'one changed file': (image, round) => ({
    Dockerfile: `FROM ${image}\nLABEL berth.bench=${RUN}\n${big(320)}\nCOPY . /app\n`,
    'index.js': round,
  }),
  'a new layer of 380 MB': (image, round) => ({
    Dockerfile: `FROM ${image}\nLABEL berth.bench=${RUN}\nCOPY . /app\n${big(380)}\n`,
    'index.js': round,
  }),
  'a context of 10,000 files, 61 MB': (image, round) => ({
    Dockerfile: `FROM ${image}\nLABEL berth.bench=${RUN}\nCOPY . /app\n`,
    'index.js': round,
    ...Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`files/${at}.js`, `${round} ${'x'.repeat(6_000)}`]),
    ),
  }),
}

/**
 * Builds in a builder of an account against the engine's own BuildKit, which `docker buildx build` uses: from the archive to
 * the image on the engine, in turns.
 */
export async function benchBuilds(): Promise<BenchResult[]> {
  const docker = new Docker()
  const problem = await builderImageProblem(docker)
  if (problem) throw new Error(problem)
  const { node } = await ensureBuildImages(docker)
  const installationId = newId('ins')
  const ownBuilder = { image: BUILDER_IMAGE, cacheMb: 20_000, idleSeconds: 600 }
  const { imageBuilder } = dockerEngine({ installationId, builder: 'own', ownBuilder })
  const built = new Set<string>()
  const results: BenchResult[] = []
  try {
    for (const [name, filesOf] of Object.entries(CASES)) {
      const [mine, theirs]: [number[], number[]] = [[], []]
      const build = builderOf(imageBuilder, node)
      for (let round = 0; round <= ROUNDS; round += 1) {
        const reference = await byEngine(docker, filesOf(node, `engine ${round}`), built)
        const ours = await build(filesOf(node, `berth ${round}`))
        if (round === 0 && results.length === 0) results.push(await firstOfAccount(imageBuilder, node))
        if (round === 0) continue
        mine.push(ours)
        theirs.push(reference)
      }
      results.push(comparison(name, mine, theirs))
    }
  } finally {
    await removeEverything(docker, installationId)
    for (const id of built)
      await docker
        .getImage(id)
        .remove({ force: true })
        .catch(() => {})
    await docker.pruneImages({ filters: { dangling: ['true'], label: [`berth.bench=${RUN}`] } })
  }
  return results
}

function comparison(name: string, mine: number[], theirs: number[]): BenchResult {
  const [ours, reference] = [median(mine), median(theirs)]
  const detail = `${ours.toFixed(0)} ms against ${reference.toFixed(0)} ms, medians of ${ROUNDS}`
  const limitedBy = 'the export of the image in the builder, and its load into the engine'
  const common = { detail, limitedBy, better: 'lower' as const }
  return name === 'one changed file'
    ? {
        name: `${name}: beyond the engine’s own builder, of ${BEYOND_MS} ms`,
        ratio: (ours - reference) / BEYOND_MS,
        aim: 1,
        ...common,
      }
    : { name: `${name}: against the engine’s own builder`, ratio: ours / reference, aim: 1.5, ...common }
}

/** Two builds of the same work, in an account that has not built. */
async function firstOfAccount(imageBuilder: ImageBuilder, image: string): Promise<BenchResult> {
  const build = builderOf(imageBuilder, image)
  const files = (round: string): Files => ({ Dockerfile: `FROM ${image}\nENV ROUND=${round}\n${big(50)}\n` })
  const [first, second] = [await build(files('first')), await build(files('second'))]
  return {
    name: `the first build of an account: beyond the second, of ${FIRST_BEYOND_MS} ms`,
    ratio: (first - second) / FIRST_BEYOND_MS,
    aim: 1,
    better: 'lower',
    detail: `${first.toFixed(0)} ms against ${second.toFixed(0)} ms, once`,
    limitedBy: 'the start of the builder, and the base image that it is given',
  }
}

/** Builds of one environment. */
function builderOf(imageBuilder: ImageBuilder, image: string): (files: Files) => Promise<number> {
  const owner = { accountId: newId('acc'), appId: newId('app'), appEnvId: newId('env') }
  let number = 0
  return async (files) => {
    number += 1
    const { imageId } = await imageBuilder.resolveImage(image, null, { mayUseCopy: async () => true })
    const startedAt = performance.now()
    await imageBuilder.build(
      {
        ...owner,
        contentId: newId('con'),
        operationId: newId('op'),
        name: `berth-bench/shop:${number}`,
        context: archiveOf(files),
        dockerfile: 'Dockerfile',
        buildArgs: {},
        credentials: {},
        bases: { [familiarName(image)]: imageId },
        resources: { cpu: 2, memoryMb: 2_048 },
        diskMb: 10_000,
        processes: 1_000,
        onLine: () => {},
      },
      { timeoutSeconds: 300 },
    )
    return performance.now() - startedAt
  }
}

async function byEngine(docker: Docker, files: Files, built: Set<string>): Promise<number> {
  const startedAt = performance.now()
  const progress = await docker.buildImage(archiveOf(files), { rm: true, version: '2' })
  let id: string | undefined
  progress.setEncoding('utf8')
  for await (const chunk of progress) id = /sha256:[0-9a-f]{64}(?="\}\})/.exec(String(chunk))?.[0] ?? id
  if (!id) throw new Error('The engine built no image')
  built.add(id)
  return performance.now() - startedAt
}

function archiveOf(files: Files): Readable {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content)
  archive.finalize()
  return Readable.from(archive)
}
