import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { networkName } from '../../src/engines/docker/networks.ts'
import { timesUnhealthy } from '../support/times-unhealthy.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

const run = promisify(execFile)
const ip = (...args: string[]) => run('ip', args).then(({ stdout }) => stdout)

/** Interfaces of this machine belong to root. */
const whyNot = await (process.getuid?.() === 0 ? ip('-V').then(() => null) : Promise.reject()).catch(
  () => 'changing network interfaces needs root and the program ip (iproute2)',
)
if (whyNot) console.warn(`Skipped: ${whyNot}`)

let harbour: Harbour
let appEnvId: string

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_ENGINE_EVENTS: 'false' })
  harbour.startWorker()
  appEnvId = await harbour.sample({ containers: 2 })
  await harbour.ended(await harbour.deployment(appEnvId))
})

afterAll(() => harbour?.close())

const healthy = () =>
  eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.health === 'HEALTHY' && seen.replicasReady === 2,
  )

/** Harms, and returns when the worker has seen it. */
async function damaged(harm: () => Promise<unknown>): Promise<void> {
  const before = await timesUnhealthy(harbour.database, appEnvId)
  await harm()
  await eventually(
    () => timesUnhealthy(harbour.database, appEnvId),
    (times) => times > before,
  )
}

const idsOf = (row: Awaited<ReturnType<typeof healthy>>) => row.replicas.map(({ containerId }) => containerId)

async function expectAnswers(): Promise<void> {
  for (const { address, port } of (await healthy()).replicas) {
    expect((await fetch(`http://${address}:${port}/`)).status).toBe(200)
  }
}

async function insideOf(containerId: string, ...Cmd: string[]): Promise<string> {
  const command = await harbour.docker.getContainer(containerId).exec({ Cmd, AttachStdout: true, Tty: true })
  const output = await command.start({ Tty: true })
  return (await Array.fromAsync(output as AsyncIterable<Buffer>)).join('').trim()
}

/** Takes the machine's end of a container's cable down: it keeps its address, and nobody reaches it. */
async function cut(containerId: string): Promise<void> {
  const read = `process.stdout.write(require('node:fs').readFileSync('/sys/class/net/eth0/iflink', 'utf8'))`
  const peer = await insideOf(containerId, 'node', '-e', read)
  const link = (await ip('-o', 'link')).split('\n').find((line) => line.startsWith(`${peer}: `))
  await ip('link', 'set', /^\d+: ([^@:]+)/.exec(link ?? '')?.[1] ?? '', 'down')
}

test.skipIf(whyNot)('a container that cannot be reached is replaced, and the other is not', async () => {
  const [lost = '', other] = idsOf(await healthy())
  await damaged(() => cut(lost ?? ''))
  const after = await healthy()
  expect(idsOf(after)).toEqual([expect.not.stringMatching(lost ?? ''), other])
  expect(after.lastRestartReason).toMatch(/^container 0, network: nothing answers at its address/)
  await expectAnswers()
})

test.skipIf(whyNot)('a network whose bridge was removed is made again, and its containers are reached', async () => {
  const { accountId } = await healthy()
  const { id } = await harbour.database.installation.findFirstOrThrow()
  const network = harbour.docker.getNetwork(networkName(id, accountId))
  const before = await network.inspect()
  await damaged(() => ip('link', 'del', before.Options?.['com.docker.network.bridge.name'] ?? ''))
  await expectAnswers()
  const after = await network.inspect()
  expect(after).toMatchObject({ Options: before.Options, Labels: before.Labels })
  expect(after.Id).not.toBe(before.Id)
})

test('a container whose program is not ready, and whose network answers, is not replaced', async () => {
  const before = idsOf(await healthy())
  const { restartCount } = await healthy()
  for (const id of before)
    await insideOf(id ?? '', 'node', '-e', `require('node:fs').writeFileSync('/tmp/unready', '')`)
  await eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.replicasReady === 0,
  )
  // Nothing happens, so there is no state to wait for: this is time for several times the failures that it may have.
  await sleep(8_000)
  const after = await harbour.appEnvRow(appEnvId)
  expect(idsOf(after)).toEqual(before)
  expect(after).toMatchObject({ restartCount, replicasReady: 0 })
})
