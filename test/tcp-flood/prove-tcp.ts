// npm run prove -- tcp    10,000 connections at once to the port of a service, while the API and an app are asked.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { flood, type Measured } from './flood.ts'

const AT_ONCE = 10_000
const SECONDS = 10

const folder = await mkdtemp(join(tmpdir(), 'berth-tcp-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } })
try {
  const {
    quiet,
    flooded,
    flood: seen,
    reached,
    isKept,
    refusedInMetrics,
  } = await flood(postgres.url, {
    atOnce: AT_ONCE,
    seconds: SECONDS,
  })
  const words = ({ requests, failed, p50Ms, p99Ms }: Measured) =>
    `${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`
  console.log(`${seen.attempts} connections opened, ${AT_ONCE} at once; ${refusedInMetrics} refused by the ingress`)
  console.log(`The service had at most ${reached}, of 50 allowed; a connection from before works: ${isKept}`)
  for (const [name, before, during] of [
    ['API', quiet.api, flooded.api],
    ['App', quiet.app, flooded.app],
  ] as const)
    console.log(`${name}: in quiet ${words(before)}; flooded ${words(during)}`)
  const holds = flooded.api.failed + flooded.app.failed === 0 && reached <= 50 && isKept && seen.attempts >= AT_ONCE
  console.log(holds ? '✓ holds' : '✗ does not hold')
  process.exitCode = holds ? 0 : 1
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
