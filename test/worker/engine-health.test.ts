import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { runtimeUnavailable } from '../../src/domain/errors.ts'
import { connect } from '../../src/engines/docker/connection.ts'
import { createDockerRuntime } from '../../src/engines/docker/runtime/docker-runtime.ts'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { EngineHealth } from '../../src/worker/engine/engine-health.ts'
import { eventually } from './fixtures.ts'

const stopping = new AbortController()

afterEach(() => stopping.abort())

test('an engine that falls silent ends the calls under way, and is found again', async () => {
  let isSilent = false
  const engine = createDockerRuntime(connect({ installationId: 'ins_link' }))
  const runtime: ContainerRuntime = {
    ...engine,
    info: (bounds) => (isSilent ? Promise.reject(runtimeUnavailable('silence')) : engine.info(bounds)),
  }
  const changes: (boolean | null)[] = []
  const link = new EngineHealth(runtime, pino({ level: 'silent' }), async (changed) => {
    if (changed) changes.push(link.reachable)
  })
  const running = link.run(stopping.signal)
  await link.requireReachable(stopping.signal)
  const { gone } = link
  isSilent = true
  link.checkSoon()
  await eventually(
    async () => link.reachable,
    (reachable) => reachable === false,
  )
  expect(() => link.assertReachable()).toThrow('silence')
  expect(gone.aborted).toBe(false)
  await eventually(
    async () => gone.aborted,
    (aborted) => aborted,
  )
  expect(gone.reason).toMatchObject({ code: 'RUNTIME_UNAVAILABLE' })
  isSilent = false
  await eventually(
    async () => link.reachable,
    (reachable) => reachable === true,
  )
  expect(link.gone.aborted).toBe(false)
  expect(changes).toEqual([true, false, true])
  stopping.abort()
  await running
})
