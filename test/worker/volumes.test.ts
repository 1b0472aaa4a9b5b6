import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { restartAppEnv } from '../../src/services/lifecycle/restart.ts'
import { deleteVolume } from '../../src/services/volume/delete-volume.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

let harbour: Harbour

/** Notes each of its starts, and its end, in the volume, and answers with the notes. */
const PROGRAM = `
const { appendFileSync, readFileSync } = require('node:fs')
const note = (text) => appendFileSync('/data/notes', text + process.env.BERTH_VERSION + ' ')
if (process.env.BROKEN) process.exit(3)
note('start')
require('node:http').createServer((_request, response) => response.end(readFileSync('/data/notes'))).listen(3000)
process.on('SIGTERM', () => { note('end'); process.exit(0) })
`
const startupConfig = { command: 'node', args: ['-e', PROGRAM], shell: false }

beforeAll(async () => {
  harbour = await createHarbour()
  harbour.startWorker()
})

afterAll(() => harbour?.close())

async function entries(appEnvId: string): Promise<string> {
  const { replicas } = await harbour.appEnvRow(appEnvId)
  const { address, port } = replicas.find((row) => row.state === 'READY') ?? {}
  return (await fetch(`http://${address}:${port}/`)).text()
}

const volumesOf = async (appEnvId: string) =>
  (await harbour.docker.listVolumes({ filters: { label: [`berth.env=${appEnvId}`] } })).Volumes

test('a volume outlives containers, one version writes it at a time, and it stays until it is deleted by itself', async () => {
  const volume = { path: '/data', disk: 100 }
  const { appEnvId } = await harbour.appEnv({ app: { port: 3000 }, startupConfig, volume })
  await harbour.ended(await harbour.deployment(appEnvId))
  await harbour.ended(await harbour.deployment(appEnvId))
  expect(await entries(appEnvId)).toBe('start1 end1 start2 ')
  const { operationId, message } = await harbour.perform(restartAppEnv, { appEnvId })
  expect(message).toContain('the old one stops before the new one starts')
  expect(await harbour.ended(operationId ?? '')).toMatchObject({ status: 'SUCCEEDED' })
  expect(await entries(appEnvId)).toBe('start1 end1 start2 end2 start2 ')

  // One that fails gives way to the version before, which comes back to its data.
  await harbour.configure(appEnvId, { BROKEN: 'yes' })
  expect(await harbour.ended(await harbour.deployment(appEnvId))).toMatchObject({ status: 'FAILED' })
  await eventually(
    () => harbour.appEnvRow(appEnvId),
    (seen) => seen.health === 'HEALTHY' && seen.replicas.some((row) => row.state === 'READY'),
  )
  expect(await entries(appEnvId)).toBe('start1 end1 start2 end2 start2 end2 start2 ')

  const { volumeId } = await harbour.appEnvRow(appEnvId)
  await expect(harbour.perform(deleteVolume, { volumeId })).rejects.toMatchObject({ reason: 'VOLUME_IN_USE' })
  await harbour.ended(await harbour.ask(deleteAppEnv, appEnvId))
  expect(await volumesOf(appEnvId)).toHaveLength(1)
  await harbour.perform(deleteVolume, { volumeId })
  await eventually(
    () => volumesOf(appEnvId),
    (seen) => seen.length === 0,
  )
  // The row goes after what it stands for.
  await eventually(
    () => harbour.database.volume.count(),
    (seen) => seen === 0,
  )
})
