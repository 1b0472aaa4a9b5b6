import { expect, test } from 'vitest'
import { parseEngineAddress } from '../../src/domain/engine-address.ts'

test.each([
  ['unix:///var/run/docker.sock', { kind: 'socket', path: '/var/run/docker.sock' }],
  ['unix:///a%20b/engine.sock', { kind: 'socket', path: '/a b/engine.sock' }],
  ['tcp://10.0.0.7', { kind: 'tls', host: '10.0.0.7', port: 2376 }],
  ['tcp://engine.internal:4000/', { kind: 'tls', host: 'engine.internal', port: 4000 }],
  ['tcp://[fd00::7]:2376', { kind: 'tls', host: 'fd00::7', port: 2376 }],
  ['ssh://berth@10.0.0.7', { kind: 'ssh', user: 'berth', host: '10.0.0.7', port: 22, path: '/var/run/docker.sock' }],
  ['ssh://a@host:2222/run/e.sock', { kind: 'ssh', user: 'a', host: 'host', port: 2222, path: '/run/e.sock' }],
])('%s names an engine', (text, address) => {
  expect(parseEngineAddress(text)).toEqual(address)
})

test.each([
  ['plain HTTP', 'http://10.0.0.7:2375'],
  ['a bare host', '10.0.0.7:2376'],
  ['a socket on a host', 'unix://host/run/e.sock'],
  ['no socket', 'unix://'],
  ['a path behind TLS', 'tcp://10.0.0.7/v1'],
  ['SSH without a user', 'ssh://10.0.0.7'],
  ['a password', 'ssh://berth:secret@10.0.0.7'],
  ['a query', 'tcp://10.0.0.7?tls=no'],
  ['a path that cannot be read', 'unix:///%zz'],
  ['nothing', ''],
])('%s names none', (_about, text) => {
  expect(parseEngineAddress(text)).toBeNull()
})
