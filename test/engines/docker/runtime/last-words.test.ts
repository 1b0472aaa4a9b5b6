import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogLine } from '../../../../src/engines/runtime/container-runtime.ts'
import { createWorld, eventually, onlyReplica, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'

let world: World

beforeAll(async () => {
  world = createWorld(dockerHarness, await dockerHarness.ensureImage())
})
afterAll(() => dockerHarness.cleanUp(world.installationId))

/** It ends without newlines, is started again by the engine, and goes on then. */
const PROGRAM = `
const { existsSync, writeFileSync } = require('node:fs')
const isFirst = !existsSync('/tmp/ran')
writeFileSync('/tmp/ran', '')
console.log(isFirst ? 'first run' : 'second run')
console.error(isFirst ? 'first complaint' : 'second complaint')
if (!isFirst) return setInterval(() => {}, 1000)
process.stdout.write('last words')
process.stderr.write('last complaint')
setTimeout(() => process.exit(3), 100)`

test('what a run says last, without a newline, ends with the run, and has a time of its own', async () => {
  const rollout = world.rollout({ command: { entrypoint: ['node', '-e'], args: [`(() => {${PROGRAM}})()`] } })
  await world.runtime.apply(rollout)
  const { name } = await onlyReplica(world.runtime, rollout.appEnvId)
  const lines = await eventually(
    () => Array.fromAsync(world.runtime.logs(name, {})),
    (read) => read.filter(({ message }) => message.includes('second')).length === 2,
  )
  const of = (stream: LogLine['stream']) => lines.filter((line) => line.stream === stream).map(({ message }) => message)
  expect(of('stdout')).toEqual(['first run', 'last words', 'second run'])
  expect(of('stderr')).toEqual(['first complaint', 'last complaint', 'second complaint'])
  const [, last, second] = lines.filter(({ stream }) => stream === 'stdout')
  expect(Number((second?.nanoseconds ?? 0n) - (last?.nanoseconds ?? 0n))).toBeGreaterThan(0)
})
