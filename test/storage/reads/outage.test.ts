import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { findRows } from '../../../src/calls/read.ts'
import { isDatabaseAway } from '../../../src/storage/database/away.ts'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { findServer } from '../../../src/storage/database/postgres-server.ts'
import { copyServer } from '../../support/copy-server.ts'

const READERS = 200

test('200 concurrent readers survive a PostgreSQL that is killed and comes back: every answer is right or says so', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-reads-'))
  copyServer(inject('postgresTemplate'), dataDir)
  // It stays away until this test brings it back: one that revived itself might be there before all have been refused.
  const start = () => startEmbeddedPostgres({ dataDir, isRevived: false })
  let server = await start()
  const { url } = server
  const database = createDatabase({ url, poolSize: 10 })
  const codes = Array.from({ length: 20 }, (_, index) => `plan-${String(index).padStart(2, '0')}`)
  const limits = { maxApps: 1, maxAppEnvs: 1, maxContainers: 1, maxZClouds: 1 }
  const included = { functionsIncluded: true, autoscalingIncluded: true }
  await database.plan.createMany({ data: codes.map((code) => ({ code, name: code, ...limits, ...included })) })

  const seen = { right: 0, away: 0, wrong: [] as unknown[] }
  let phase: 'before' | 'killed' | 'back' = 'before'
  const rightWhen = { before: 0, killed: 0, back: 0 }
  const stop = new AbortController()
  const read = async (index: number) => {
    const code = codes[index % codes.length] ?? ''
    while (!stop.signal.aborted) {
      try {
        const rows = await findRows(database, 'Plan', { where: { code }, select: { code: true, name: true } })
        if (rows.length === 1 && rows[0]?.code === code && rows[0].name === code) {
          seen.right += 1
          rightWhen[phase] += 1
        } else seen.wrong.push(rows)
      } catch (error) {
        if (isDatabaseAway(error)) seen.away += 1
        else seen.wrong.push(error)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const readers = Array.from({ length: READERS }, (_, index) => read(index))
  try {
    await expect.poll(() => rightWhen.before).toBeGreaterThan(2 * READERS)
    process.kill(findServer(join(dataDir, 'postgres'))?.pid ?? 0, 'SIGKILL')
    phase = 'killed'
    await expect.poll(() => seen.away).toBeGreaterThan(READERS)
    server = await start()
    phase = 'back'
    await expect.poll(() => rightWhen.back).toBeGreaterThan(2 * READERS)
    stop.abort()
    // Nobody hangs.
    await Promise.all(readers)
    console.log(`${seen.right} right answers, ${seen.away} refused as away, ${seen.wrong.length} wrong`)
    expect(seen.wrong).toEqual([])
  } finally {
    stop.abort()
    await database.$disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
