import { setTimeout as pause } from 'node:timers/promises'
import { sourceOf } from '../../support/source-archive.ts'
import type { Scenario } from './scenarios.ts'
import { createEnvironment, ended, type Subject } from './subject.ts'
import type { TestCluster } from './test-cluster.ts'

const PUT_SECONDS = 60
/** So that a kill at random is likely to fall into the engine's part. */
const STEP_MS = 700

/** Environments that are built, by the one whose operations they stand in for. */
const built = new WeakMap<Subject, Promise<Subject>>()

let builds = 0

/** An upload that no build has seen before, built and deployed. */
export const BUILD: Scenario = {
  name: 'build',
  async prepare(cluster, subject) {
    const site = built.get(subject) ?? createSite(cluster, subject)
    built.set(subject, site)
    return site
  },
  act: async (cluster, subject) => [await beginBuild(cluster, subject)],
  outcome: 'SUCCEEDED',
}

/** The same as the first version of a new environment. */
export const FIRST_BUILD: Scenario = {
  ...BUILD,
  name: 'first build',
  async prepare(cluster, subject) {
    const site = createEmptySite(cluster, subject)
    built.set(subject, site)
    return site
  },
}

async function createSite(cluster: TestCluster, subject: Subject): Promise<Subject> {
  const site = await createEmptySite(cluster, subject)
  const operation = await ended(cluster, await beginBuild(cluster, site))
  if (operation.status !== 'SUCCEEDED') throw new Error(`The first build: ${JSON.stringify(operation)}`)
  return site
}

async function createEmptySite(cluster: TestCluster, { accountId }: Subject): Promise<Subject> {
  const app = { name: 'Built', accountId, port: 3000, isCliDeployment: true, healthCheckPath: '/healthz' }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  return createEnvironment(cluster, { accountId, appId }, 'production')
}

async function beginBuild(cluster: TestCluster, { appEnvId }: Subject): Promise<string> {
  builds += 1
  const key = { appEnvId, fileExtension: '.tar.gz' }
  const { storageKey, uploadUrl } = await cluster.ok('POST', '/app-env/request-storage-key', key)
  const wait = `["node", "-e", "setTimeout(() => {}, ${STEP_MS})"]`
  const Dockerfile = `FROM ${cluster.image}\nCOPY number /\nRUN ${wait}\nRUN ${wait}\n`
  await put(String(uploadUrl), await sourceOf({ Dockerfile, number: `${builds}` }))
  return cluster.begin('POST', '/app-env/notify-code-upload', { appEnvId, storageKey })
}

/** Repeated until it is answered: the process that receives it may be killed meanwhile. */
async function put(url: string, archive: Buffer): Promise<void> {
  const until = Date.now() + PUT_SECONDS * 1000
  for (;;) {
    const response = await fetch(url, { method: 'PUT', body: new Uint8Array(archive) }).catch(() => null)
    if (response?.ok) return
    if (Date.now() > until) throw new Error(`The upload was not taken: ${response?.status} ${await response?.text()}`)
    await pause(50)
  }
}
