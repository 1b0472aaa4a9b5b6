import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { jsonLines } from '../../../../src/engines/docker/images/json-lines.ts'
import { within } from '../../../../src/engines/docker/within.ts'

const engine = connect({ installationId: 'ins_json' })
const dropped = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })

test('an answer that breaks off fails its call, and does not say that the engine is away', async () => {
  const answer = Readable.from(
    (async function* () {
      yield '{"stream":"one"}\n{"stre'
      throw dropped
    })(),
  )
  const read: object[] = []
  const reading = within(engine, undefined, async () => {
    for await (const message of jsonLines(answer)) read.push(message)
  })
  await expect(reading).rejects.toThrow('The container engine broke off its answer')
  await expect(reading).rejects.not.toHaveProperty('code')
  expect(read).toEqual([{ stream: 'one' }])
})

test('a connection that fails before any answer says that the engine is away', async () => {
  await expect(within(engine, undefined, () => Promise.reject(dropped))).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
  })
})
