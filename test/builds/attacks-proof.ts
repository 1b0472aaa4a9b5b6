import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { pack } from 'tar-stream'
import { programImage } from '../shipped/support/images.ts'
import { unique } from '../shipped/support/user.ts'
import { ensureBuildImages } from '../support/build-images.ts'
import { OpenLoopClient } from '../trust/support/open-loop-client.ts'
import type { OpenLoopReport } from '../trust/support/open-loop-process.ts'
import { type BuildStage, beginBuild, endOfBuild } from './build-proof.ts'

const QUIET_SECONDS = 20
const MAX_RATIO = 2
const LIMITS = { cpu: 2, memoryMb: 1_024, diskMb: 1_000, timeoutSeconds: 30 }

/** What a step does; each ends by itself as well, because the plain build beside it has no limit. */
const ATTACKS: Record<string, string> = {
  'eats memory': `const all = []; while (all.length < 60) all.push(Buffer.alloc(100 * 1024 * 1024, 1))`,
  forks: `const { spawn } = require('child_process'); let n = 0; const next = () => { if (n++ < 6000) spawn('sleep', ['20']).on('error', (e) => { console.log(e.message); process.exit(1) }).on('spawn', next) }; next()`,
  'burns the processor': `require('fs').writeFileSync('/burn.js', 'for (const until = Date.now() + 40000; Date.now() < until; );'); for (let n = 0; n < 8; n += 1) require('child_process').fork('/burn.js')`,
  // After the processor: the plain build writes five gigabytes, whose removal goes on beside the next attack.
  'fills the disk': `const fs = require('fs'), c = Buffer.alloc(1048576, 1), f = fs.openSync('/big', 'w'); for (let n = 0; n < 5000; n += 1) fs.writeSync(f, c)`,
  'writes 2 GB of log': `const line = 'x'.repeat(1023) + '\\n', block = line.repeat(1024); const write = (n) => n > 0 && process.stdout.write(block, () => write(n - 1)); write(2048)`,
}

/** Builds that take all that they can get, beside an app that is asked 100 times a second, and beside the API. */
export async function attacksProof(stage: BuildStage): Promise<void> {
  const { docker, post, createApp, runImage, untilAnswer, ingressUrl, url, adminToken, claim, log } = stage
  const { node } = await ensureBuildImages(docker)
  const neighbour = await runImage(await programImage('1'))
  await untilAnswer(neighbour.host, ({ status }) => status === 200)
  const { accountId } = await post('/account', { name: unique('attacker') })
  const attacker = await createApp({ isCliDeployment: true, accountId, buildResources: LIMITS }, { accountId })
  const clients = await Promise.all([
    OpenLoopClient.start(ingressUrl, neighbour.host),
    OpenLoopClient.start(`${url}/api/public/v1/apps`, new URL(url).host, adminToken, '200'),
  ])
  const during = async (work: () => Promise<void>): Promise<[OpenLoopReport, OpenLoopReport]> => {
    const done = work()
    return Promise.all([clients[0].during(() => done), clients[1].during(() => done)])
  }
  const warm = { Dockerfile: `FROM ${node}\nRUN ["node", "-e", "1"]\n` }
  await endOfBuild(stage, await beginBuild(stage, attacker, warm))
  try {
    const quiet = await during(() => pause(QUIET_SECONDS * 1000))
    log(`  quiet: ${inWords(quiet)}`)
    for (const [what, program] of Object.entries(ATTACKS)) {
      const files = { Dockerfile: `FROM ${node}\nRUN ${JSON.stringify(['node', '-e', program])}\n` }
      let outcome = ''
      const seen = await during(async () => {
        const since = performance.now()
        const { status, reason, message } = await endOfBuild(stage, await beginBuild(stage, attacker, files))
        const seconds = ((performance.now() - since) / 1000).toFixed(1)
        outcome = `${status} ${reason ?? ''} after ${seconds} s: ${(message ?? '').split('\n')[0]?.slice(0, 160)}`
      })
      const ratios = seen.map(({ p99Ms }, at) => p99Ms / (quiet[at]?.p99Ms ?? 0))
      const failures = seen.flatMap((report) => report.failures)
      claim(
        failures.length === 0 && (ratios[0] ?? 0) <= MAX_RATIO,
        `${what}: ${outcome}\n    ${inWords(seen)}; p99 ${ratios.map((ratio) => ratio.toFixed(1)).join(' and ')} × quiet`,
      )
      const plain = await during(() => buildPlainly(stage, files))
      log(`    plain docker build: ${inWords(plain)}`)
    }
  } finally {
    for (const client of clients) client.end()
  }
}

const inWords = ([app, api]: readonly OpenLoopReport[]): string =>
  [
    ['app', app],
    ['API', api],
  ]
    .map(([name, report]) => {
      const { requests, failures, p50Ms, p99Ms } = report as OpenLoopReport
      return `${name} ${requests} requests, ${failures.length} failed, p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`
    })
    .join('; ')

/** As platforms do that hand a build to the engine. Leaves nothing, if it succeeds or fails. */
async function buildPlainly({ docker }: BuildStage, files: Record<string, string>): Promise<void> {
  const context = pack()
  for (const [name, content] of Object.entries(files)) context.entry({ name }, content)
  context.finalize()
  const name = `berth-plain-build:${Date.now()}`
  const progress = await docker.buildImage(Readable.from(context), { t: name, nocache: true, rm: true, forcerm: true })
  for await (const _ of progress as AsyncIterable<unknown>);
  const gone = () => {}
  await docker.getImage(name).remove({ force: true }).catch(gone)
}
