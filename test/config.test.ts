import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { SETTINGS } from '../src/config/settings.ts'

describe('the configuration', () => {
  test('has a default for everything', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      PORT: 4000,
      INGRESS_PORT: 8080,
      HOST: '127.0.0.1',
      BERTH_ROLES: ['api', 'worker', 'ingress'],
    })
  })

  test('reports every problem at once, by name', () => {
    const read = () =>
      readConfig({ PORT: 'http', BERTH_ROLES: 'api,queen', DOCKER_HOST: '/var/run/docker.sock', BERTH_MASTER_KEY: 'x' })
    expect(read).toThrow(/PORT[\s\S]*DOCKER_HOST[\s\S]*BERTH_ROLES[\s\S]*BERTH_MASTER_KEY/)
  })

  test.each([
    ['PORT', '70000', 'must be a whole number from 0 to 65535; not "70000"'],
    ['BERTH_LEASE_SECONDS', 'NaN', 'must be a whole number from 1 to 300; not "NaN"'],
    ['BERTH_ROLES', 'api,queen', 'must be one or more of api, worker, ingress, separated by commas; not "api,queen"'],
    ['BERTH_REACH', 'moon', 'must be one of address, published; not "moon"'],
    ['BERTH_ADMIN_TOKEN', 'short', 'must be at least 20 characters long; what was given is a secret and not shown'],
  ])('says of %s what was given and what it may be', (name, value, rule) => {
    expect(() => readConfig({ [name]: value })).toThrow(`this configuration:\n  ${name}: ${rule}`)
  })

  test.each(Object.keys(SETTINGS.shape))('has words of its own for %s', (name) => {
    for (const value of ['x y', '-1', '0.5', '1e12', ','.repeat(3)]) {
      try {
        readConfig({ [name]: value })
      } catch (error) {
        expect(String(error)).toContain(`  ${name}: must `)
        expect(String(error)).not.toMatch(/expected|received|Invalid|Too (small|big)/)
      }
    }
  })

  test('takes an empty value for unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' }).PORT).toBe(4000)
  })

  test('refuses one port for two purposes of this process, and no others', () => {
    const read = (settings: Record<string, string>) => () =>
      readConfig({ PORT: '5000', INGRESS_PORT: '5000', BERTH_HEALTH_PORT: '5000', ...settings })
    expect(read({})).toThrow(/ PORT and INGRESS_PORT: must differ; both are 5000/)
    expect(read({ BERTH_ROLES: 'worker,ingress' })).toThrow(/BERTH_HEALTH_PORT and INGRESS_PORT/)
    expect(read({ BERTH_ROLES: 'api,worker' })).not.toThrow()
    expect(read({ PORT: '0', INGRESS_PORT: '0' })).not.toThrow()
  })
})
