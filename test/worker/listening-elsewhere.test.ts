import { expect, test } from 'vitest'
import { listeningElsewhere } from '../../src/worker/version/listening-elsewhere.ts'

const at = (...sockets: string[]) =>
  sockets.map((text) => {
    const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? []
    return { address, port: Number(port) }
  })

test.each([
  ['its port, on all addresses', at('0.0.0.0:3000'), [], null],
  ['its port, by IPv6', at(':::3000'), [], null],
  ['its port, and the loopback beside it', at('127.0.0.1:3000', '172.18.0.2:3000'), [], null],
  [
    'the loopback only',
    at('127.0.0.1:3000'),
    [],
    { words: 'listens on 127.0.0.1:3000 only; listen on 0.0.0.0', isLasting: true, isNowhere: false },
  ],
  [
    'the loopback of IPv6',
    at('::1:3000'),
    [],
    { words: 'listens on [::1]:3000 only; listen on 0.0.0.0', isLasting: true, isNowhere: false },
  ],
  [
    'another port',
    at('0.0.0.0:8080', '127.0.0.1:9229'),
    [],
    {
      words: "listens on 8080, not 3000; listen on $PORT, or set the app's port to 8080",
      isLasting: false,
      isNowhere: false,
    },
  ],
  [
    'another port, which its image declares',
    at('0.0.0.0:8080', '0.0.0.0:9090'),
    [8080],
    {
      words: "listens on 8080 and 9090, not 3000; listen on $PORT, or set the app's port to 8080",
      isLasting: true,
      isNowhere: false,
    },
  ],
  [
    'one of the ports that its image declares, not yet on the other',
    at('0.0.0.0:9090'),
    [3000, 9090],
    {
      words: "listens on 9090, not 3000; listen on $PORT, or set the app's port to 9090",
      isLasting: false,
      isNowhere: false,
    },
  ],
  [
    'another port of the loopback',
    at('127.0.0.1:8080'),
    [8080],
    {
      words: 'listens on 127.0.0.1:8080 only, not on 3000; listen on 0.0.0.0:3000',
      isLasting: false,
      isNowhere: false,
    },
  ],
  ['nothing', at(), [8080], { words: 'listens on nothing yet', isLasting: false, isNowhere: true }],
])('a container that listens on %s', (_, sockets, declaredPorts, expected) => {
  expect(listeningElsewhere({ sockets, declaredPorts }, 3000)).toEqual(expected)
})

const BY_IPV6_ONLY = 'only, and there by IPv6 alone, which its container has not; listen on 0.0.0.0'

test.each([
  ['all addresses of IPv6', at(':::3000'), `listens on [::]:3000 ${BY_IPV6_ONLY}`],
  ['all addresses of IPv6, and the loopback', at(':::3000', '127.0.0.1:3000'), `listens on [::]:3000 ${BY_IPV6_ONLY}`],
  ['one of IPv6', at('fd00::5:3000'), `listens on [fd00::5]:3000 ${BY_IPV6_ONLY}`],
])('a container that listens on %s and refuses connections, listens by IPv6 only', (_, sockets, words) => {
  expect(listeningElsewhere({ sockets, declaredPorts: [] }, 3000)).toBeNull()
  const refused = listeningElsewhere({ sockets, declaredPorts: [] }, 3000, { isRefused: true })
  expect(refused).toEqual({ words, isLasting: true, isNowhere: false })
})

test('a container that refuses connections beside a listener of IPv4 has begun to listen meanwhile', () => {
  const sockets = at('0.0.0.0:3000', ':::3000')
  expect(listeningElsewhere({ sockets, declaredPorts: [] }, 3000, { isRefused: true })).toBeNull()
})

test('of many ports, some are named', () => {
  const sockets = at(...Array.from({ length: 9 }, (_, n) => `0.0.0.0:${5000 + n}`))
  expect(listeningElsewhere({ sockets, declaredPorts: [] }, 3000)?.words).toMatch(
    /^listens on 5000, 5001, 5002, 5003 and 5 more, not 3000/,
  )
})
