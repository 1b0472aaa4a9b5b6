import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { probe } from '../../src/engines/runtime/readiness.ts'
import { readDescriptorLimit, shareDescriptors } from '../../src/platform/descriptor-limit.ts'
import { ask, eventually, HOST, routeTo, startIngress, startReplica } from './fixtures.ts'

const PRLIMIT = '/usr/bin/prlimit'
const canLimit = process.platform === 'linux' && existsSync(PRLIMIT)
if (!canLimit) process.stdout.write(`Skipped: running out of descriptors, because there is no ${PRLIMIT} (Linux)\n`)

const setLimit = (soft: number) =>
  execFileSync(PRLIMIT, ['--pid', String(process.pid), `--nofile=${soft}:`], { stdio: 'ignore' })

// Running prlimit again takes some descriptors itself.
const SPARE = 16

/** Runs the work while this process can open nothing more. */
async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const usual = readDescriptorLimit()
  const fillers: number[] = []
  setLimit(Math.max(...readdirSync('/proc/self/fd').map(Number)) + SPARE)
  try {
    try {
      for (;;) fillers.push(openSync('/dev/null', 'r'))
    } catch {
      return await work()
    }
  } finally {
    for (const filler of fillers) closeSync(filler)
    setLimit(usual)
  }
}

test.skipIf(!canLimit)(
  'without descriptors, the answer names this machine, and no replica is passed over',
  async () => {
    const replica = await startReplica((_request, response) => response.end('fine'))
    const ingress = await startIngress([routeTo([replica.target])])
    const client = connect(ingress.port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    await eventually(() => ingress.server.listening)
    let text = ''
    client.on('data', (chunk) => {
      text += chunk
    })
    await withoutDescriptors(async () => {
      client.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      await eventually(() => text !== '')
    })
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(text).toContain('X-Berth-Error: HOST_EXHAUSTED')
    expect(text).toContain('Retry-After: ')
    expect(await ask(ingress.port)).toMatchObject({ status: 200, body: 'fine' })
  },
)

test.skipIf(!canLimit)('without descriptors, a probe does not call the replica unready', async () => {
  const { target } = await startReplica((_request, response) => response.end('fine'))
  const ask = () => probe({ address: target.address, port: target.port, path: '/', timeoutMs: 1_000 })
  const refusal = await withoutDescriptors(() => ask().catch((error: Error) => error))
  expect(refusal).toMatchObject({ code: 'RUNTIME_UNAVAILABLE', message: expect.stringContaining('EMFILE') })
  expect((await ask()).ready).toBe(true)
})

test.each([
  [20_000, ['api', 'worker', 'ingress'] as const],
  [1_024, ['ingress'] as const],
  [1_048_576, ['api'] as const],
  [256, ['api', 'worker', 'ingress'] as const],
])('of %i descriptors, the roles %j leave a quarter for the rest', (limit, roles) => {
  const { api, ingress, tcp } = shareDescriptors(limit, readConfig({ BERTH_ROLES: roles.join() }))
  const isApi = (roles as readonly string[]).includes('api')
  const isIngress = (roles as readonly string[]).includes('ingress')
  const used = (isApi ? api : 0) + (isIngress ? ingress.maxClients + ingress.maxUpstreams + 2 * tcp : 0)
  expect(used).toBeLessThanOrEqual(limit * 0.75)
  expect(used).toBeGreaterThan(limit * 0.7)
})
