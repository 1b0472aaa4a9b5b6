import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readRest } from '../parity/read-apis.ts'
import { serveWorld } from '../support/serve-world.ts'
import { createWorld } from '../support/world.ts'

const MB = 1024 * 1024
const LINES = 400_000
const LINE_BYTES = 512
/** Between looks at what is held after a collection of garbage. */
const LOOK_BYTES = 20 * MB
/** Buffers of what is under way; whole, the file would be five times as much. */
const MAX_HELD_MB = 40

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('200 MB of lines are read while no more is held than of a short log', { timeout: 240_000 }, async () => {
  const world = await createWorld()
  const served = serveWorld(world)
  try {
    const { appEnvId } = await world.appEnv()
    const row = { appEnvId, containerId: 'c-1', contentId: 'con_1', name: 'c-1', phase: 'running' }
    const { id: containerId } = await world.database.container.create({ data: row })
    const stream = await world.database.logStream.create({ data: { appEnvId, kind: 'CONTAINERS', lastNumber: LINES } })
    await world.database.$executeRaw`
      INSERT INTO log_line (log_stream_id, number, container_id, at, is_error, is_partial, message)
      SELECT ${stream.id}, n, ${containerId}, 1763640000000000000 + n * 1000, false, false, repeat(md5(n::text), 16)
      FROM generate_series(1, ${LINES}::int) AS n`
    const { body } = await readRest(served, world.adminToken, 'getLogsDownload', { appEnvId, format: 'text' })
    const before = heldBytes()
    let most = 0
    let bytes = 0
    let looks = 0
    const startedAt = performance.now()
    const response = await served.app.request(String(body.url).replace(/^https?:\/\/[^/]+/, ''))
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes < (looks + 1) * LOOK_BYTES) continue
      looks += 1
      most = Math.max(most, heldBytes() - before)
    }
    const seconds = (performance.now() - startedAt) / 1000
    console.info(
      `${(bytes / MB).toFixed(0)} MB of lines with ${(most / MB).toFixed(1)} MB held at most, ${(bytes / MB / seconds).toFixed(0)} MB/s`,
    )
    expect(bytes).toBeGreaterThan(LINES * LINE_BYTES)
    expect(looks).toBe(10)
    expect(most / MB).toBeLessThan(MAX_HELD_MB)
  } finally {
    await served.close()
    await world.close()
  }
})
