import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

const HUNGER_BYTES = 4 * 1024 ** 3

/** Serves for a moment, then uses more memory than there is. */
const hungry: Program = async (process) => {
  process.serve((_request, response) => response.end())
  await pause(300, undefined, { signal: process.signal })
  process.print('loading everything')
  process.use({ memoryBytes: HUNGER_BYTES })
}

/** Serves for a moment, and ends. */
const quitter: Program = async (process) => {
  process.serve((_request, response) => response.end())
  await pause(300, undefined, { signal: process.signal })
  process.print('giving up', 'stderr')
  return 5
}

/** Uses up the memory of its container one second after it listens. */
const HUNGRY_SCRIPT = `
require('node:http').createServer((_, response) => response.end()).listen(Number(process.env.PORT))
const kept = []
setTimeout(() => setInterval(() => kept.push(Buffer.alloc(32 * 1024 * 1024, 1)), 20), 1000)`

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory({ hungry, quitter }))
  harbour.startWorker()
})

afterAll(() => harbour?.close())

const running = (there: Harbour, command: string, args: string[] = []) =>
  there.appEnv({ app: { port: 3000 }, startupConfig: { command, args, shell: false } })

/** The newest version, once something was said about it. */
const noted = (there: Harbour, appEnvId: string) =>
  eventually(
    () => there.database.content.findFirstOrThrow({ where: { appEnvId }, orderBy: { version: 'desc' } }),
    ({ reason }) => reason !== null,
  )

const OUT_OF_MEMORY = (memoryMb: number) =>
  new RegExp(
    `^Container 0 exited (with code 137 )?\\(out of memory\\) \\d+ s after version 1 was deployed\\. It may use ${memoryMb} MB of memory\\. Give it more \\(PATCH /app-env/resources\\) and apply that, or roll back\\.`,
  )

async function expectKilledForMemory(there: Harbour, command: string, args: string[]): Promise<void> {
  const { appEnvId } = await running(there, command, args)
  const { id } = await there.ended(await there.deployment(appEnvId))
  // An engine may tell of the end before it tells of the memory.
  await expect
    .poll(() => noted(there, appEnvId), { timeout: 30_000 })
    .toMatchObject({ status: 'DEPLOYED', reason: 'OUT_OF_MEMORY' })
  const content = await noted(there, appEnvId)
  expect(content.message).toMatch(OUT_OF_MEMORY(512))
  const { message } = content
  expect(await there.operation(id)).toMatchObject({ status: 'SUCCEEDED', reason: 'OUT_OF_MEMORY', message })
}

test('a version whose container is killed for memory after it was ready says so', () =>
  expectKilledForMemory(harbour, 'hungry', []))

test('the same on Docker, which tells of the end in an event', async () => {
  const real = await createHarbour({ BERTH_ENGINE_EVENTS: 'true' })
  try {
    real.startWorker()
    await expectKilledForMemory(real, 'node', ['-e', HUNGRY_SCRIPT])
  } finally {
    await real.close()
  }
})

test('a version whose container ends after it was ready says so, with its last lines, until it is deployed anew', async () => {
  const { appEnvId } = await running(harbour, 'quitter')
  await harbour.ended(await harbour.deployment(appEnvId))
  const content = await noted(harbour, appEnvId)
  expect(content).toMatchObject({ status: 'DEPLOYED', reason: 'CONTAINER_EXITED' })
  expect(content.message).toMatch(/^Container 0 exited with code 5 \d+ s after version 1 .*roll back\.\n.*giving up$/s)
  await harbour.configure(
    appEnvId,
    {},
    {
      command: 'node',
      args: ['-e', 'setInterval(() => {}, 1e6); require("node:http").createServer(() => {}).listen(3000)'],
      shell: false,
      workingDir: null,
    },
  )
  await harbour.ended(await harbour.ask(redeployAppEnv, appEnvId))
  const [latest] = await harbour.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'desc' } })
  expect(latest).toMatchObject({ version: 2, status: 'DEPLOYED', reason: null, message: null })
})
