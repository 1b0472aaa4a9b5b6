import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'

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

  test('takes an empty value for unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' }).PORT).toBe(4000)
  })
})
