import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { engineVersion } from '../../src/app-types/engines/engines.ts'
import { postgresql } from '../../src/app-types/engines/postgresql.ts'
import { readWalState } from '../../src/worker/point-in-time/collect-wal.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { EngineWorld, newCredentials, type RunningEngine } from '../support/engines/running-engine.ts'

const version = engineVersion(postgresql, null)
if (!version) throw new Error('PostgreSQL has no default version')
const world = new EngineWorld(postgresql, version)
const credentials = newCredentials(postgresql.user)
let running: RunningEngine
let isAvailable = false

beforeAll(async () => {
  isAvailable = await ensureEngineImages(world.docker, postgresql)
  if (!isAvailable) return
  await world.open()
  running = await world.run(await world.volume(), credentials)
  await running.ready()
})
beforeEach(({ skip }) => skip(!isAvailable))
afterAll(() => world[Symbol.asyncDispose]())

const command = postgresql.pointInTime?.log.close ?? []
const script = command.at(-1) ?? ''

async function close(mark: string, { begins = false, code = script } = {}) {
  const environment = {
    ...world.describe(credentials).environment,
    ARCHIVE: 'wal_test',
    BEGINS: String(begins),
    FORCED: 'false',
    MARK: mark,
  }
  const outcome = await running.exec(['bash', ...command.slice(1, -1), code], { environment })
  expect([outcome.code, outcome.stderr]).toEqual([0, ''])
  const state = readWalState(outcome.stdout.toString())
  if (!state) throw new Error('The log is lost')
  return state
}

/** As another session would at that very moment. */
const COMMIT =
  '\\! psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --quiet --command="SELECT pg_current_xact_id()" > /dev/null'

test('what is committed after a segment ends is a change the next time', async () => {
  const { mark } = await close('', { begins: true })
  const idle = await close(mark)
  expect([idle.hasChanged, idle.mark]).toEqual([false, mark])
  for (const [place, last] of [
    ['after the switch', true],
    ['before the answer of a look that found nothing', false],
  ] as const) {
    const before = '\\endif\nSELECT to_char('
    const code = script.replace(before, () => (last ? `${COMMIT}\n${before}` : `\\endif\n${COMMIT}\nSELECT to_char(`))
    expect(code).not.toBe(script)
    const during = await close(last ? '' : mark, { code })
    expect(await close(during.mark), place).toMatchObject({ hasChanged: true })
  }
})
