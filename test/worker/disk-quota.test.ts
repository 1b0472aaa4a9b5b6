import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeEverything } from '../support/remove-everything.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

const LIMIT_MB = 16
let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_CONTAINER_DISK_MB: String(LIMIT_MB), BERTH_CONTAINER_DISK_SECONDS: '1' })
})

afterAll(async () => {
  await harbour?.stopWorkers()
  const { id } = await harbour.database.installation.findFirstOrThrow()
  await removeEverything(harbour.docker, id)
  await harbour?.close()
})

async function write(containerId: string, megabytes: number): Promise<void> {
  const Cmd = ['node', '-e', `require("node:fs").writeFileSync("/written", Buffer.alloc(${megabytes} << 20))`]
  const exec = await harbour.docker.getContainer(containerId).exec({ Cmd })
  await exec.start({ Detach: true })
}

test('a container that writes more than it may is replaced, and the status says why', async () => {
  harbour.startWorker()
  const appEnvId = await harbour.sample({ containers: 2 })
  expect(await harbour.ended(await harbour.deployment(appEnvId))).toMatchObject({ status: 'SUCCEEDED' })
  const [first, second] = (await harbour.appEnvRow(appEnvId)).replicas.map(({ containerId }) => containerId ?? '')
  await write(first ?? '', LIMIT_MB + 4)
  await write(second ?? '', LIMIT_MB - 4)
  const replaced = await eventually(
    () => harbour.appEnvRow(appEnvId),
    ({ health, restartCount }) => restartCount > 0 && health === 'HEALTHY',
  )
  const reason = /^container 0, disk: it has written (\d+) MB outside of volumes, and may write 16 MB/
  const [, written] = reason.exec(replaced.lastRestartReason ?? '') ?? []
  // It may be looked at while it is still writing.
  expect(Number(written), replaced.lastRestartReason ?? '').toBeGreaterThan(LIMIT_MB)
  expect(Number(written)).toBeLessThanOrEqual(LIMIT_MB + 5)
  expect(replaced.restartCount).toBe(1)
  const left = replaced.replicas.map(({ containerId }) => containerId)
  expect(left).toContain(second)
  expect(left).not.toContain(first)
})
