// npm run prove -- faults
import { join } from 'node:path'
import { createFunction, sleepAt } from '../functions/function-cluster.ts'
import { eventually } from '../worker/fixtures.ts'
import { readLogs, readMetrics, readWitnesses, type Witnesses } from './fault-witnesses.ts'
import { FAULTS } from './faults.ts'
import { openEngineGate } from './harness/engine-gate.ts'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { mountSmallDisk } from './harness/small-disk.ts'
import { createEnvironment, createSubject, finish, type Subject } from './harness/subject.ts'
import { startTestCluster } from './harness/test-cluster.ts'

const problem = privateEngineProblem()
if (problem) throw new Error(`This needs disks and an engine of its own, and ${problem}`)
using databaseDisk = mountSmallDisk(256)
using dataDisk = mountSmallDisk(128)
using engineDisk = mountSmallDisk(700)
await using engine = await startPrivateEngine({ parent: engineDisk.folder })
await using gate = await openEngineGate(join(dataDisk.folder, 's'), engine.socketPath)
const cluster = await startTestCluster({
  parent: dataDisk.folder,
  databaseParent: databaseDisk.folder,
  docker: engine.docker,
  settings: { BERTH_WAKE_QUEUE_SECONDS: '5', DOCKER_HOST: gate.host, BERTH_ENGINE_TIMEOUT_SECONDS: '5' },
})
const world = { cluster, databaseDisk, dataDisk, engineDisk, gate }
const failures: string[] = []
try {
  const running = await createSubject(cluster, 'Running')
  await finish(cluster, 'deploy-image', running, { image: cluster.image })
  const asleep = await createFunction(cluster, 'Sleeping', { minScale: 0, idleSeconds: 1 })
  const uploadedApp = await createUploadedApp()
  for (const { title, state, operation = '', make, mend } of FAULTS) {
    await sleepAt(cluster, asleep, 'FROZEN')
    const uploadUrl = await askForUpload(uploadedApp.appEnvId)
    await readMetrics(cluster)
    const { at } = readLogs(cluster)
    await make(world)
    let witnesses: Witnesses
    try {
      witnesses = await eventually(
        () => readWitnesses(cluster, { running, asleep, uploadUrl }),
        (said) => isSaid(said, state) && said.operation.includes(operation),
      )
    } finally {
      await mend(world)
    }
    await eventually(
      () => readWitnesses(cluster, { running, asleep, uploadUrl }),
      (said) => (state === null || !isSaid({ ...said, metrics: [] }, state)) && !said.operation.startsWith('FAILED'),
    )
    const { logged } = readLogs(cluster, at)
    show(title, witnesses, `${logged.lines} lines, ${logged.stacks} with a stack: ${logged.said.join('; ')}`)
    judge(title, witnesses, logged.stacks)
  }
} finally {
  await cluster.close()
}
for (const failure of failures) console.log(`✗ ${failure}`)
console.log(`${FAULTS.length} faults, ${failures.length} of what was said about them wrong`)
process.exitCode = failures.length === 0 ? 0 : 1

async function createUploadedApp(): Promise<Subject> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId ?? ''
  const app = { name: 'Uploaded', accountId, port: 3000, isCliDeployment: true }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  return createEnvironment(cluster, { accountId, appId }, 'production')
}

function isSaid({ readyz, metrics }: Witnesses, state: string | null): boolean {
  return state === null || [...readyz, ...metrics].some((text) => text.includes(state))
}

/** The environment's open uploads are limited: one that was received is notified of, which ends it. */
async function askForUpload(appEnvId: string): Promise<string> {
  return ((await cluster.ok('POST', '/app-env/request-storage-key', { appEnvId })) as { uploadUrl: string }).uploadUrl
}

function show(title: string, { readyz, ...rest }: Witnesses, log: string): void {
  console.log(`\n## ${title}`)
  for (const line of readyz) console.log(`  readyz    ${line}`)
  for (const [name, text] of Object.entries({ ...rest, log })) console.log(`  ${name.padEnd(9)} ${text}`)
}

function judge(title: string, { write, upload, status, sleeping }: Witnesses, stacks: number): void {
  for (const [name, text] of Object.entries({ write, upload, status, sleeping }))
    if (/^(500|0)\b/.test(text)) failures.push(`${title}: ${name} says ${text}`)
  if (stacks > 0) failures.push(`${title}: ${stacks} lines of the log have a stack`)
}
