import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { publicDomains, reachHint, seenFromOutside } from '../../src/domain/reach.ts'

const SERVER = { isServer: true, ownAddress: '203.0.113.7' }
const hint = (settings: Record<string, string>, machine = SERVER) => reachHint(readConfig(settings), machine)

describe('what hinders other machines from reaching apps', () => {
  test('is loopback, which is only worth a line on a server', () => {
    expect(hint({})).toBe('Only this machine reaches these. README.md, “On a server”, says how others do.')
    expect(hint({}, { ...SERVER, isServer: false })).toBeNull()
    expect(hint({ BERTH_INGRESS_URL: 'https://apps.example.com' })).toBeNull()
  })

  test('is a domain below localhost, where the ingress is open', () => {
    const open = { BERTH_INGRESS_HOST: '0.0.0.0' }
    expect(hint(open)).toContain('set BERTH_DOMAIN=203.0.113.7.sslip.io, or a domain of yours')
    expect(hint({ ...open, BERTH_EXTRA_DOMAINS: '127.0.0.1.sslip.io' })).toContain('set BERTH_DOMAIN')
    expect(hint({ ...open, BERTH_DOMAIN: 'apps.example.com' })).toBeNull()
    expect(hint({ HOST: '0.0.0.0', BERTH_EXTRA_DOMAINS: '203.0.113.7.sslip.io' })).toBeNull()
  })
})

test('the public domains are those whose names lead here from elsewhere', () => {
  const settings = { BERTH_EXTRA_DOMAINS: '127.0.0.1.sslip.io,127-0-0-1.nip.io,203.0.113.7.sslip.io,apps.example.com' }
  expect(publicDomains(readConfig(settings))).toEqual(['203.0.113.7.sslip.io', 'apps.example.com'])
})

test.each([
  ['http://0.0.0.0:4000', '203.0.113.7', 'http://203.0.113.7:4000'],
  ['http://[::]:4000', '2001:db8::7', 'http://[2001:db8::7]:4000'],
  ['http://127.0.0.1:4000', '203.0.113.7', 'http://127.0.0.1:4000'],
  ['http://0.0.0.0:4000', undefined, 'http://0.0.0.0:4000'],
])('%s on the machine with the address %s is seen as %s', (url, own, seen) => {
  expect(seenFromOutside(url, own)).toBe(seen)
})
