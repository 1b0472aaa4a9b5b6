import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureBuildImages } from '../../support/build-images.ts'
import { ensureTestImage } from '../../support/test-image.ts'
import { startFreshBerth } from '../fresh-berth.ts'
import { LISTED } from '../support/attackers-registry.ts'
import { newAccount } from '../support/image-app.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

const QUEUED = 1_000
const AT_A_TIME = 8
/** What the plan allows. */
const ENVIRONMENTS_OF_AN_APP = 100
/** Until the queue is as full as it gets, and every slot taken. */
const FILLING_MS = 15_000
/** What a start may take on a machine that is busy with everything else of the queue. */
const MAX_MS = 15_000
const ASK_EVERY_MS = 20
const [TRIES, TRY_AGAIN_MS] = [60, 500]
const FOREVER = 'setInterval(() => {}, 1_000)'
const SERVER = `require('node:http').createServer((_, response) => response.end()).listen(3000)`
const SETTINGS = {
  BERTH_RATE_LIMIT: '10000000',
  BERTH_JOB_RUNS: '16',
  BERTH_BUILDER: 'engine',
  BERTH_WEBHOOK_PRIVATE_HOSTS: LISTED,
}

interface Queue {
  name: string
  /** Queues so many that never end, for an account, and returns when all are accepted. */
  fill(berth: FreshBerth, accountId: string): Promise<void>
  /** Prepares one for another account; what is returned asks for it and waits until it has begun. */
  one(berth: FreshBerth, accountId: string): Promise<() => Promise<void>>
}

export const trustCase: TrustCase = {
  number: 23,
  title: `${QUEUED} queued deployments, builds, job runs or webhooks of one account delay no other account's first one`,
  async run() {
    const figures: string[] = []
    for (const queue of [deployments, builds, jobRuns, webhooks]) {
      const figure = await measured(queue)
      console.log(`  ${figure}`)
      figures.push(figure)
    }
    return figures.join('; ')
  },
}

async function measured(queue: Queue): Promise<string> {
  const { berth, close } = await startFreshBerth(SETTINGS)
  try {
    const quiet = await timed(await queue.one(berth, await newAccount(berth)))
    const ask = await queue.one(berth, await newAccount(berth))
    await queue.fill(berth, await newAccount(berth))
    await pause(FILLING_MS)
    const beside = await timed(ask)
    const figure = `${queue.name} ${beside} ms beside ${QUEUED}, ${quiet} ms alone`
    if (beside > MAX_MS) throw new Error(figure)
    return figure
  } finally {
    await close()
  }
}

async function timed(ask: () => Promise<void>): Promise<number> {
  const since = performance.now()
  await ask()
  return Math.round(performance.now() - since)
}

async function times(work: (index: number) => Promise<unknown>, count = QUEUED): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values()
  const next = async () => {
    for (const index of indices) await work(index)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, next))
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 4 * MAX_MS
  while (!(await isReached())) {
    if (performance.now() > end) throw new Error(`Not begun within ${4 * MAX_MS} ms`)
    await pause(ASK_EVERY_MS)
  }
}

/** Of a machine that is busy with the queue: what it does not take, it is asked for again. */
async function accepted(berth: FreshBerth, path: string, body: object): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { status, text, body: answer } = await berth.rest('POST', path, body)
    if (status < 300) return answer
    if (status !== 503) throw new Error(`POST ${path} answered ${status}: ${text}`)
    await pause(TRY_AGAIN_MS)
  }
  throw new Error(`POST ${path} was answered with 503 ${TRIES} times`)
}

async function newApp(berth: FreshBerth, accountId: string, fields: Record<string, unknown>): Promise<string> {
  return String((await accepted(berth, '/app', { accountId, name: 'queued', ...fields })).appId)
}

async function newEnvironment(
  berth: FreshBerth,
  { accountId, appId, index = 0 }: { accountId: string; appId: string; index?: number },
  fields: Record<string, unknown> = {},
): Promise<string> {
  const environment = { accountId, appId, name: `e${index}`, region: 'local', ...fields }
  return String((await accepted(berth, '/app-env', environment)).appEnvId)
}

const startup = { startupConfig: { command: 'node', args: ['-e', FOREVER], shell: false } }

/** Environments of as many apps as the plan wants for them, each of which is asked for something. */
async function timesInEnvironments(
  berth: FreshBerth,
  { accountId, fields, environment }: { accountId: string; fields: Record<string, unknown>; environment?: object },
  ask: (appEnvId: string) => Promise<unknown>,
): Promise<void> {
  const apps = await Promise.all(
    Array.from({ length: QUEUED / ENVIRONMENTS_OF_AN_APP }, (_, index) =>
      newApp(berth, accountId, { ...fields, name: `queued ${index}` }),
    ),
  )
  await times(async (index) => {
    const appId = apps[index % apps.length] ?? ''
    await ask(await newEnvironment(berth, { accountId, appId, index }, { ...environment }))
  })
}

/** Until a worker has claimed the newest operation of an environment. */
const begun = (berth: FreshBerth, appEnvId: string) =>
  until(async () => {
    const { operations } = await berth.ok('GET', `/operations?appEnvId=${appEnvId}`)
    return (operations as { status: string }[])[0]?.status !== 'QUEUED'
  })

/** Nothing listens in them, so that none gets ready and each holds its slot. */
const deployments: Queue = {
  name: 'deployments',
  async fill(berth, accountId) {
    const image = await ensureTestImage(berth.docker)
    const fields = { port: 3000, useImage: true, image }
    await timesInEnvironments(berth, { accountId, fields, environment: startup }, (appEnvId) =>
      accepted(berth, '/app-env/deploy-image', { appEnvId, image }),
    )
  },
  async one(berth, accountId) {
    const image = await ensureTestImage(berth.docker)
    const appId = await newApp(berth, accountId, { port: 3000, useImage: true, image })
    const appEnvId = await newEnvironment(berth, { accountId, appId }, startup)
    return async () => {
      await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image })
      await begun(berth, appEnvId)
    }
  },
}

async function dockerfile(berth: FreshBerth, instruction: string): Promise<Record<string, unknown>> {
  const { node } = await ensureBuildImages(berth.docker)
  const customDockerfileContent = `FROM ${node}\n${instruction}\nCMD ["node", "-e", "${SERVER}"]\n`
  return { port: 3000, customDockerfileContent, isCliDeployment: false }
}

/** One that has ended has had its slot. */
const builds: Queue = {
  name: 'builds',
  async fill(berth, accountId) {
    const fields = await dockerfile(berth, `RUN ["node", "-e", "${FOREVER}"]`)
    await timesInEnvironments(berth, { accountId, fields }, (appEnvId) =>
      accepted(berth, '/app-env/build', { appEnvId }),
    )
  },
  async one(berth, accountId) {
    const appId = await newApp(berth, accountId, await dockerfile(berth, `ENV OF=${accountId}`))
    const appEnvId = await newEnvironment(berth, { accountId, appId })
    return async () => {
      await berth.ok('POST', '/app-env/build', { appEnvId })
      await until(async () => {
        const { operations } = await berth.ok('GET', `/operations?appEnvId=${appEnvId}`)
        const { status, message } = (operations as { status: string; message: string }[])[0] ?? {}
        if (status === 'FAILED') throw new Error(`The build failed: ${message}`)
        return status === 'SUCCEEDED'
      })
    }
  },
}

async function job(berth: FreshBerth, accountId: string, program: string): Promise<string> {
  const image = await ensureTestImage(berth.docker)
  const jobConfig = { command: 'node', args: ['-e', program], shell: false, maxConcurrency: 100 }
  const appId = await newApp(berth, accountId, { appType: 'job', useImage: true, image, jobConfig })
  const appEnvId = await newEnvironment(berth, { accountId, appId })
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image }, { headers: { prefer: 'wait=60' } })
  return appEnvId
}

const jobRuns: Queue = {
  name: 'job runs',
  async fill(berth, accountId) {
    const appEnvId = await job(berth, accountId, FOREVER)
    await times(() => accepted(berth, '/app-env/job-runs', { appEnvId }))
  },
  async one(berth, accountId) {
    const appEnvId = await job(berth, accountId, '0')
    return async () => {
      const { jobRunId } = await berth.ok('POST', '/app-env/job-runs', { appEnvId })
      await until(async () => {
        const { status } = await berth.ok('GET', `/app-env/job-run?jobRunId=${jobRunId}`)
        return status !== 'QUEUED'
      })
    }
  },
}

/** A receiver that counts requests, and answers those of one kind. */
async function receiver(isAnswered: boolean) {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    if (isAnswered) response.end()
  })
  server.unref()
  server.listen(0, LISTED)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://${LISTED}:${port}/`, requests: () => requests }
}

const webhooks: Queue = {
  name: 'webhooks',
  async fill(berth, accountId) {
    const { url } = await receiver(false)
    await times((index) => accepted(berth, '/account/webhook', { accountId, name: `w${index}`, url }), AT_A_TIME * 2)
    // Each app that is created is an event for every webhook.
    await times((index) => newApp(berth, accountId, { name: `a${index}`, port: 3000, isCliDeployment: true }))
  },
  async one(berth, accountId) {
    const { url, requests } = await receiver(true)
    const { webhookId } = await berth.ok('POST', '/account/webhook', { accountId, name: 'one', url })
    return async () => {
      const before = requests()
      await berth.ok('POST', '/account/webhook/test', { webhookId })
      await until(async () => requests() > before)
    }
  },
}
