import { expect, test } from 'vitest'
import { connect } from '../../../src/engines/docker/connection.ts'
import { asFailure } from '../../../src/engines/docker/within.ts'
import { RuntimeError } from '../../../src/engines/runtime/container-runtime.ts'

const region = {
  regionCode: 'north',
  engine: 'ssh://berth@north.internal',
  reachAddress: '10.0.0.7',
  keysFolder: '/keys',
}
const engine = connect({ installationId: 'i_1', region })

const refusal = (message: string) =>
  Object.assign(new Error(`(HTTP code 500) server error - ${message}`), { statusCode: 500 })

test.each([
  [
    'failed to bind host port for 10.0.0.7:49153: address already in use',
    'failed to bind host port for …:49153: address already in use',
  ],
  ['North.internal has no such plugin', '… has no such plugin'],
  ['10.0.0.70 and mynorth.internal are others', '10.0.0.70 and mynorth.internal are others'],
])('an engine’s refusal does not say where its machine is: %s', (words, shown) => {
  expect(asFailure(engine, refusal(words))).toMatchObject({ message: `The container engine answered 500: ${shown}` })
})

test('nor does a failed start', () => {
  const failure = new RuntimeError('CONTAINER_START_FAILED', 'Bind for 10.0.0.7:49153 failed')
  expect(asFailure(engine, failure)).toMatchObject({
    reason: 'CONTAINER_START_FAILED',
    message: 'Bind for …:49153 failed',
  })
})
