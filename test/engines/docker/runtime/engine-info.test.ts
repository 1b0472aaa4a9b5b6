import pino from 'pino'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { createDockerRuntime } from '../../../../src/engines/docker/runtime/docker-runtime.ts'
import { EngineHealth } from '../../../../src/worker/engine/engine-health.ts'
import { type EngineAnswer, fakeEngine } from '../../../support/fake-engine.ts'

const version = (Version: string, ApiVersion: string): EngineAnswer => ({ body: { Version, ApiVersion } })
const refusal = (status: number, message: string): EngineAnswer => ({ status, body: { message } })

/** What the worker finds out about an engine that answers so. */
async function checked(answer: EngineAnswer) {
  await using engine = await fakeEngine(() => answer)
  const runtime = createDockerRuntime(connect({ dockerHost: engine.host, installationId: 'ins_info' }))
  const stopping = new AbortController()
  const health = new EngineHealth(runtime, pino({ level: 'silent' }), async () => stopping.abort())
  await health.run(stopping.signal)
  const { reachable, fault, reason } = health
  return { reachable, fault, reason: reason?.replace(engine.host, '<host>') ?? null }
}

test.each([
  ['20.10.24+dfsg1', '1.41'],
  ['28.5.2', '1.51'],
  ['30.0.0', '2.0'],
])('an engine of version %s, API %s, is used', async (engine, api) => {
  expect(await checked(version(engine, api))).toEqual({ reachable: true, fault: null, reason: null })
})

test.each([
  ['19.03.15', '1.40'],
  ['1.6.2', '1.18'],
])('one of version %s, API %s, is too old, and is told what is needed', async (engine, api) => {
  expect(await checked(version(engine, api))).toEqual({
    reachable: false,
    fault: 'ENGINE_UNSUPPORTED',
    reason: `The container engine at <host> has version ${engine} (API ${api}); Berth needs Docker Engine 20.10 (API 1.41) or newer`,
  })
})

test('Podman is named, whatever version of the API it claims', async () => {
  const Components = [
    { Name: 'Podman Engine', Version: '5.4.2' },
    { Name: 'Conmon', Version: '2.1.12' },
  ]
  expect(await checked({ body: { Version: '5.4.2', ApiVersion: '1.41', Components } })).toEqual({
    reachable: false,
    fault: 'ENGINE_UNSUPPORTED',
    reason:
      'The container engine at <host> is Podman 5.4.2, which lacks parts of the API of Docker Engine that Berth needs',
  })
})

test.each([
  [400, 'client version 1.24 is too old. Minimum supported API version is 1.44'],
  [403, 'not allowed by the proxy'],
])('one that refuses its API with %i is named with its words', async (status, words) => {
  expect(await checked(refusal(status, words))).toEqual({
    reachable: false,
    fault: 'ENGINE_UNSUPPORTED',
    reason: `The container engine at <host> refuses its API: GET /version is answered with ${status}: ${words}`,
  })
})

test('one in trouble does not count as refusing', async () => {
  expect(await checked(refusal(500, 'no space left on device'))).toMatchObject({
    reachable: false,
    fault: 'ENGINE_UNREACHABLE',
  })
})
