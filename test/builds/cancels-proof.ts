import type Docker from 'dockerode'
import { ensureBuildImages } from '../support/build-images.ts'
import { countSteps } from '../support/running-steps.ts'
import { type BuildStage, beginBuild, endOfBuild } from './build-proof.ts'

const GONE_WITHIN_MS = 1_000
const MB_WRITTEN = 20
/** What the builder's records of steps may grow by. */
const DISK_KEPT_MB = 20

/** Cancels builds in the middle of a step that has written something and ignores SIGTERM. */
export async function cancelsProof(stage: BuildStage): Promise<void> {
  const { docker, cancels, createApp, call, claim, log } = stage
  const { node } = await ensureBuildImages(docker)
  const app = await createApp({ isCliDeployment: true })
  const step = (round: number) =>
    `RUN : step-of-${app.appEnvId} ${round}; trap '' TERM; head -c ${MB_WRITTEN * 1024 * 1024} /dev/urandom > /big; sleep 300`
  const cancelOne = async (round: number) => {
    const operationId = await beginBuild(stage, app, { Dockerfile: `FROM ${node}\n${step(round)}\n` })
    while ((await countSteps(docker, app.appEnvId)) === 0) await pause()
    const since = performance.now()
    await call('POST', '/operation/cancel', { body: { operationId } })
    while ((await countSteps(docker, app.appEnvId)) > 0) await pause()
    const tookMs = performance.now() - since
    const { status } = await endOfBuild(stage, operationId)
    return { tookMs, status }
  }
  await cancelOne(0)
  const before = await diskMb(docker, app.accountId)
  const took: number[] = []
  let others = 0
  for (let round = 1; round <= cancels; round += 1) {
    const { tookMs, status } = await cancelOne(round)
    took.push(tookMs)
    if (status !== 'CANCELLED') others += 1
  }
  const slowest = Math.max(...took)
  claim(
    slowest <= GONE_WITHIN_MS && others === 0,
    `${cancels} builds cancelled, ${others} ended otherwise; their steps were gone after ${slowest.toFixed(0)} ms at most, from the call to the look`,
  )
  const grown = (await diskMb(docker, app.accountId)) - before
  claim(grown <= DISK_KEPT_MB, `the disk has ${grown} MB more, of ${cancels * MB_WRITTEN} MB that they wrote`)
  log(`  ${before} MB before`)
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Of the account's builder, as its files take it. */
async function diskMb(docker: Docker, accountId: string): Promise<number> {
  const filters = { label: ['berth.role=builder', `berth.account=${accountId}`] }
  const [builder] = await docker.listContainers({ all: true, filters })
  if (!builder) throw new Error('The account has no builder')
  // It starts again after a cancelled build.
  for (const until = performance.now() + 10_000; performance.now() < until; await pause()) {
    const megabytes = await usedMb(docker.getContainer(builder.Id)).catch(() => 0)
    if (megabytes > 0) return megabytes
  }
  throw new Error('The builder does not say how large its cache is')
}

async function usedMb(builder: Docker.Container): Promise<number> {
  const Cmd = ['sh', '-c', 'du -sm "$HOME/.local/share/buildkit" 2>/dev/null | cut -f 1']
  const exec = await builder.exec({ Cmd, AttachStdout: true, Tty: true })
  let text = ''
  for await (const chunk of await exec.start({ Tty: true })) text += chunk
  return Number.parseInt(text, 10) || 0
}
