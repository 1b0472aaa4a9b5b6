import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PART_STATES } from '../../src/domain/part-states.ts'
import { fakeEngine } from '../support/fake-engine.ts'
import { freePort } from '../support/free-ports.ts'
import { startBerth } from './berth-process.ts'

test('an engine that is too old is named at the start and in /readyz, with what to do', async () => {
  await using engine = await fakeEngine(() => ({ body: { Version: '19.03.15', ApiVersion: '1.40' } }))
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-old-'))
  const port = await freePort()
  const settings = { PORT: `${port}`, INGRESS_PORT: '0', BERTH_HEALTH_PORT: '0', BERTH_DATA_DIR: dataDir }
  const berth = await startBerth({ ...settings, DOCKER_HOST: engine.host })
  try {
    const reason = `The container engine at ${engine.host} has version 19.03.15 (API 1.40); Berth needs Docker Engine 20.10 (API 1.41) or newer`
    expect(berth.said()).toContain('  Engine     none that can be used\n')
    expect(berth.said()).toContain(`${reason}.\n${PART_STATES.ENGINE_UNSUPPORTED}\n`)
    const engineOf = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
      const { parts } = (await answer.json()) as { parts: Record<string, object> }
      return { status: answer.status, ...parts.engine }
    }
    // Lasts until another engine answers.
    await expect.poll(engineOf).toMatchObject({
      status: 200,
      ready: false,
      state: 'ENGINE_UNSUPPORTED',
      reason,
      nextStep: PART_STATES.ENGINE_UNSUPPORTED,
    })
    // Nothing was changed there.
    expect([...new Set(engine.requests)].filter((request) => !request.startsWith('GET '))).toEqual([])
  } finally {
    await berth.end('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
