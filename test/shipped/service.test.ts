import { beforeAll, describe, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { ensureService, programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import type { NewApp } from './support/user.ts'

let berth: SharedBerth
let image: string

beforeAll(async () => {
  ;[berth, image] = await Promise.all([sharedBerth(), programImage('1'), ensureService('REDIS')])
})

/** A Redis, and an app that reaches it by a variable. */
async function createCache(): Promise<{ redis: NewApp; app: NewApp; say: (...words: string[]) => Promise<string> }> {
  const redis = await berth.createApp({ dockerPreset: 'REDIS', port: undefined })
  const envVars = [{ name: 'REDIS_URL', value: `\${${redis.envName}.internalUrl}`, type: 'DEPLOY' }]
  const app = await berth.runImage(image, {}, { envVars })
  const say = async (...words: string[]) => {
    const path = `/redis?${words.map((word) => `say=${word}`).join('&')}`
    return (await berth.untilAnswer(app.host, ({ status }) => status === 200, path)).text
  }
  return { redis, app, say }
}

const credentialsOf = ({ appEnvId }: NewApp) => berth.get('/app-env/credentials', { appEnvId })

describe.concurrent('a managed service', () => {
  test('is used by an app, backed up and restored', async ({ expect }) => {
    const { redis, say } = await createCache()
    const { appEnvId } = redis
    expect(await say('SET', 'colour', 'blue')).toBe('OK')
    const { backupKey } = await berth.post('/app-env/backup', { appEnvId })
    expect(await say('SET', 'colour', 'red')).toBe('OK')
    await berth.post('/app-env/backup-restore', { appEnvId, backupKey })
    expect(await say('GET', 'colour')).toBe('blue')
    const { backups } = await berth.get('/app-env/backups', { appEnvId })
    expect(backups.map(({ status }: { status: string }) => status)).toEqual(['AVAILABLE', 'AVAILABLE'])
    const verified = async () => (await berth.get('/app-env/backups', { appEnvId })).backups
    await berth.post('/app-env/backup-verify', { appEnvId, backupKey })
    await eventually('the backup is verified', verified, (all) =>
      all.some(({ key, verified: isVerified }: { key: string; verified: boolean }) => key === backupKey && isVerified),
    )
  })

  test('gets a new password, and the old one is refused', async ({ expect }) => {
    const { redis, app, say } = await createCache()
    expect(await say('SET', 'colour', 'blue')).toBe('OK')
    const before = await credentialsOf(redis)
    await berth.post('/app-env/credentials/rotate', { appEnvId: redis.appEnvId })
    const after = await credentialsOf(redis)
    expect(after.password).not.toBe(before.password)
    // The app has the old one until it is deployed again.
    await berth.untilAnswer(app.host, ({ status }) => status === 500, '/redis?say=PING')
    await berth.post('/app-env/redeploy', { appEnvId: app.appEnvId })
    expect(await say('GET', 'colour')).toBe('blue')
  })

  test('is stopped and started with its data', async ({ expect }) => {
    const { redis, say } = await createCache()
    const { appEnvId } = redis
    expect(await say('SET', 'colour', 'blue')).toBe('OK')
    await berth.post('/app-env/stop', { appEnvId })
    await berth.untilNothingRunning(appEnvId)
    await berth.post('/app-env/start', { appEnvId })
    expect(await say('GET', 'colour')).toBe('blue')
  })

  test('leaves its volume when its app is deleted, until that is deleted, too', async ({ expect }) => {
    const { appId, appEnvId } = await berth.createApp({ dockerPreset: 'REDIS', port: undefined })
    await berth.ok('DELETE', '/app', { query: { appId } })
    await berth.untilNothingRuns(appEnvId)
    const left = async () => {
      const { volumes } = await berth.get('/volumes')
      return volumes.filter((volume: { appEnvId: string }) => volume.appEnvId === appEnvId)
    }
    const [volume] = await left()
    expect(volume).toMatchObject({ isAttached: false })
    await berth.ok('DELETE', '/volume', { query: { volumeId: volume.volumeId } })
    expect(await left()).toEqual([])
  })

  test('refuses what it cannot be', async ({ expect }) => {
    const { appId, appEnvId } = await berth.createApp({ dockerPreset: 'REDIS', port: undefined })
    const turned = await berth.call('PATCH', '/app', { body: { appId, dockerPreset: 'POSTGRESQL' } })
    expect([turned.status, turned.body.errors?.[0]?.field]).toEqual([400, 'dockerPreset'])
    const shown = await berth.get('/app-env/credentials', { appEnvId })
    expect(shown.internalUrl).toMatch(/^redis:/)
  })
})
