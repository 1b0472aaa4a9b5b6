import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { ensureBuildImages } from '../test/support/build-images.ts'
import { sourceOf } from '../test/support/source-archive.ts'
import type { BenchResult } from './bench-result.ts'
import { type BenchPlatform, startBenchPlatform } from './platform.ts'
import { median } from './spread.ts'

const ROUNDS = 9
/** Unique to this run: it must not find layers of an earlier run, and must find its own. */
const RUN = randomUUID()
const FILES = 200

const SERVER = `require('node:http').createServer((q, r) => r.end('ok')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))
`

/** A program of two hundred files, of which each round changes one line. Its dependencies stay as they are. */
const filesOf = (image: string, round: string): Record<string, string> => ({
  Dockerfile: [
    `FROM ${image} AS build`,
    `LABEL berth.bench=${RUN}`,
    'WORKDIR /app',
    'COPY package.json ./',
    'RUN npm install --no-audit --no-fund && mkdir -p node_modules',
    'COPY . .',
    'RUN npm run build',
    `FROM ${image}`,
    `LABEL berth.bench=${RUN}`,
    'WORKDIR /app',
    'COPY --from=build /app ./',
    'USER node',
    'CMD ["node", "built.js"]',
  ].join('\n'),
  'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', scripts: { build: 'cp server.js built.js' } }),
  'server.js': `${SERVER}// ${RUN} ${round}\n`,
  ...Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`pages/${index}.js`, `exports.page = ${index}\n`.repeat(50)]),
  ),
})

/**
 * A one-line change with everything else cached: from the accepted notice of the upload to the image, against the
 * engine's own build of the same files. In turns, so that load on the machine affects both.
 */
export async function benchBuild(): Promise<BenchResult> {
  const berth = await startBenchPlatform()
  const docker = new Docker()
  const built = new Set<string>()
  const [ours, reference]: [number[], number[]] = [[], []]
  try {
    const { node } = await ensureBuildImages(docker)
    const appEnvId = await createUploadedApp(berth)
    // The first build of each fills the cache.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const theirs = await buildByEngine(docker, filesOf(node, `engine ${round}`), built)
      const mine = await buildByBerth(berth, appEnvId, filesOf(node, `berth ${round}`))
      if (round === 0) continue
      reference.push(theirs)
      ours.push(mine)
    }
  } finally {
    await berth.stop()
    for (const id of built) await docker.getImage(id).remove({ force: true })
    await docker.pruneImages({ filters: { dangling: ['true'], label: [`berth.bench=${RUN}`] } })
  }
  const [mine, theirs] = [median(ours), median(reference)]
  return {
    name: 'a one-line change, upload accepted → image, against the engine’s own build of the same files',
    ratio: mine / theirs,
    aim: 1.4,
    better: 'lower',
    detail: `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${ROUNDS}`,
    limitedBy: 'unpacking the archive, packing the context, the commits of two checkpoints, and the build’s log',
  }
}

async function createUploadedApp(berth: BenchPlatform): Promise<string> {
  const { accounts } = (await berth.get('/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId
  const { appId } = await berth.post('/app', { name: 'built', accountId, port: 3000, isCliDeployment: true })
  const { appEnvId } = await berth.post('/app-env', { accountId, appId, name: 'production', region: 'local' })
  return String(appEnvId)
}

interface Operation {
  status: string
  message: string | null
  createdAt: string
  steps: { name: string; finishedAt: string | null }[]
}

async function buildByBerth(berth: BenchPlatform, appEnvId: string, files: Record<string, string>): Promise<number> {
  const asked = { appEnvId, fileExtension: '.tar.gz' }
  const { uploadUrl, storageKey } = await berth.post('/app-env/request-storage-key', asked)
  const response = await fetch(String(uploadUrl), { method: 'PUT', body: new Uint8Array(await sourceOf(files)) })
  if (!response.ok) throw new Error(`The upload was answered with ${response.status}`)
  await berth.post('/app-env/notify-code-upload', { appEnvId, storageKey }, { prefer: 'wait=60' })
  const { operations } = (await berth.get(`/operations?appEnvId=${appEnvId}`)) as { operations: Operation[] }
  const [operation] = operations
  const finished = operation?.steps.find(({ name }) => name === 'build')?.finishedAt
  if (operation?.status !== 'SUCCEEDED' || !finished) throw new Error(`The build ended with ${operation?.message}`)
  return Date.parse(finished) - Date.parse(operation.createdAt)
}

async function buildByEngine(docker: Docker, files: Record<string, string>, built: Set<string>): Promise<number> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content)
  archive.finalize()
  const started = performance.now()
  const progress = await docker.buildImage(Readable.from(archive), { rm: true })
  let id: string | undefined
  progress.setEncoding('utf8')
  for await (const chunk of progress) id = /sha256:[0-9a-f]{64}(?="\}\})/.exec(String(chunk))?.[0] ?? id
  if (!id) throw new Error('The engine built no image')
  built.add(id)
  return performance.now() - started
}
