import { expect, test } from 'vitest'
import { readMessage } from '../../../src/api/mcp/message.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
const big = 'x'.repeat(100_000)

test('a message is split into what the SDK reads and the arguments of the tool', () => {
  const read = readMessage(JSON.stringify({ ...call, params: { name: 'list-apps', arguments: { big } } }))
  expect(read).toEqual({ envelope: { ...call, params: { name: 'list-apps' } }, given: { big } })
})

test('other messages keep all of their parameters', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping', params: { arguments: 1 } }
  expect(readMessage(JSON.stringify(message))).toEqual({ envelope: message, given: undefined })
  expect(readMessage('5')).toEqual({ envelope: 5, given: undefined })
})

test.each([
  ['is not JSON', '{', -32_700],
  ['is a batch', '[]', -32_600],
  ['is large besides its arguments', JSON.stringify({ ...call, params: { name: big } }), -32_600],
  ['is nested too deeply', `{"params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, -32_600],
])('a body that %s is refused', (_title, text, code) => {
  expect(readMessage(text)).toEqual({ code, problem: expect.any(String) })
})
