import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { unknownSettings } from '../src/config/unknown-settings.ts'

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
    const beside = { INGRESS_PORT: '5001', BERTH_TCP_PORTS: '5001-5009' }
    expect(read(beside)).toThrow(/ INGRESS_PORT and BERTH_TCP_PORTS: must differ; both have 5001/)
    expect(read({ ...beside, BERTH_ROLES: 'api' })).not.toThrow()
  })

  test.each([
    ['20000-20002', [20_000, 20_001, 20_002]],
    ['30000, 20001-20002,20002', [20_001, 20_002, 30_000]],
    ['off', []],
  ])('reads the ports for external access from %j', (text, ports) => {
    expect(readConfig({ BERTH_TCP_PORTS: text }).BERTH_TCP_PORTS).toEqual(ports)
  })

  test.each(['20000-', '20002-20000', '0', '65536', '1-65535', 'off,1', '20000;20001', '-1'])(
    'refuses %j as ports for external access',
    (text) => {
      expect(() => readConfig({ BERTH_TCP_PORTS: text })).toThrow(/BERTH_TCP_PORTS: must be off, or ports and ranges/)
    },
  )

  test.each([
    ['BERTH_LOG_LEVLE', 'BERTH_LOG_LEVEL'],
    ['berth_log_level', 'BERTH_LOG_LEVEL'],
    ['BERTH_DATADIR', 'BERTH_DATA_DIR'],
    ['BERTH_DRAIN', 'BERTH_DRAIN_SECONDS'],
    ['BERTH_DRAIN_SECS', 'BERTH_DRAIN_SECONDS'],
    ['BERTH_INGRES_BODY_LIMIT_MB', 'BERTH_INGRESS_BODY_LIMIT_MB'],
    ['BERTH_MASTERKEY_FILE', 'BERTH_MASTER_KEY_FILE'],
    ['BERTH_DOMAIN_FILE', 'BERTH_DOMAIN'],
    // Settings that have a usual name have no prefix.
    ['BERTH_PORT', 'PORT'],
    ['BERTH_DATABASE_URL', 'DATABASE_URL'],
    ['BERTH_INGRESS_PORT', 'INGRESS_PORT'],
  ])('refuses the misspelt %s, names %s, and shows no value', (given, meant) => {
    const problem = `  ${given}: is not a setting; did you mean ${meant}?`
    expect(() => readConfig({ [given]: 'sesame', PORT: 'x' })).toThrow(
      `this configuration:\n${problem}\n  PORT: must be a whole number from 0 to 65535; not "x"`,
    )
    expect(() => readConfig({ [given]: '' })).not.toThrow()
  })

  test('names the setting that a former one is now', () => {
    expect(() => readConfig({ BERTH_LABORATORY: '/x' })).toThrow('BERTH_LABORATORY: is now BERTH_FAULT_INJECTION')
  })

  test.each([
    'BERTH_IMAGE',
    'BERTH_SUBNET',
    'BERTH_GATEWAY',
    'BERTH_APP_ENV_ID',
    'BERTH_ENV_NAME',
    'BERTH_CONTENT_ID',
    'BERTH_VERSION',
    'BERTH_SERVICE_HOST',
    'BERTH_SERVICE_PORT',
    'BERTH_API_SERVICE_PORT_HTTP',
    'BERTH_PORT_4000_TCP_ADDR',
  ])('takes %s for what it is: the compose stack’s, an app’s or a Kubernetes service’s', (name) => {
    expect(unknownSettings({ [name]: '1', BERTH_PORT: 'tcp://10.0.0.1:4000' })).toEqual({ problems: [], ignored: [] })
  })

  test.each(['BERTH_TOKEN', 'BERTH_API_TOKEN', 'BERTH_COLOUR', 'BERTH_HOME'])(
    'starts with %s, which resembles no setting',
    (name) => {
      expect(unknownSettings({ [name]: 'x' })).toEqual({ problems: [], ignored: [name] })
    },
  )

  test('reads every setting by its own name', () => {
    const environment = Object.fromEntries(Object.keys(SETTINGS.shape).map((name) => [name, 'x']))
    expect(unknownSettings(environment)).toEqual({ problems: [], ignored: [] })
  })
})
