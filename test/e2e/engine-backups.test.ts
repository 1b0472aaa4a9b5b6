import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTested } from '../support/engines/list.ts'
import { startS3 } from '../support/s3-server.ts'
import { eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService } from './service-world.ts'

const TIMEOUT_MS = 300_000
const wait = { prefer: 'wait=200' }

let berth: TestPlatform
let s3: Awaited<ReturnType<typeof startS3>>

beforeAll(async () => {
  s3 = await startS3()
  berth = await startTestPlatform({
    BERTH_READY_TIMEOUT_SECONDS: '90',
    BERTH_BACKUP_PRIVATE_HOSTS: 'true',
  })
}, TIMEOUT_MS)

afterAll(async () => {
  await berth?.stop()
  await s3?.[Symbol.asyncDispose]()
})

async function storage(accountId: string): Promise<string> {
  const credential = { accountId, type: 'OBJECT_STORAGE', name: `s3 ${Math.random()}`, data: s3.login }
  return (await berth.ok<{ credentialId: string }>('POST', '/credential', credential)).credentialId
}

/** As the user that the container was made with. */
const rabbit = (program: string) => [
  'python3',
  '-c',
  `import os, time, pika
login = pika.PlainCredentials(os.environ['RABBITMQ_DEFAULT_USER'], os.environ['RABBITMQ_DEFAULT_PASS'])
connection = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', 5672, 'berth', login))
channel = connection.channel()
channel.queue_declare('rows', durable=True)
${program}
connection.close()`,
]

const ENGINES = [
  {
    preset: 'REDIS',
    fill: ['redis-cli', 'eval', "for i=1,10000 do redis.call('set','k'..i,i) end return 1", '0'],
    spoil: ['redis-cli', 'flushall'],
    read: ['redis-cli', 'dbsize'],
    expected: '10000',
  },
  {
    preset: 'RABBITMQ',
    fill: rabbit(`
for n in range(10000):
    channel.basic_publish('', 'rows', 'row %d' % n, pika.BasicProperties(delivery_mode=2))
while channel.queue_declare('rows', passive=True).method.message_count < 10000:
    time.sleep(0.1)`),
    spoil: rabbit("channel.queue_purge('rows')"),
    read: rabbit("print(channel.queue_declare('rows', passive=True).method.message_count)"),
    expected: '10000',
  },
]

describe.each(ENGINES.filter(({ preset }) => isTested(preset)))(
  'backups of $preset',
  ({ preset, fill, spoil, read, expected }) => {
    test('in object storage are verified, and bring everything back', { timeout: TIMEOUT_MS }, async () => {
      const service = await createService(berth, preset)
      if (!service) return
      const { appEnvId, accountId } = service
      const post = (path: string, body: object = {}) =>
        berth.ok<{ success: boolean; message: string; backupKey: string }>(
          'POST',
          `/app-env/${path}`,
          { appEnvId, ...body },
          wait,
        )
      const healthy = () =>
        eventually(
          () => berth.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } }),
          ({ health }) => health === 'HEALTHY',
        )
      await inService(berth, appEnvId, fill)
      const { backupKey, success, message } = await post('backup', { storage: await storage(accountId) })
      expect(success, message).toBe(true)
      expect((await s3.keys()).filter((key) => key.includes(backupKey))).toHaveLength(1)
      await healthy()
      const verified = await post('backup-verify', { backupKey })
      expect(verified.success, verified.message).toBe(true)
      await healthy()
      await inService(berth, appEnvId, spoil)
      const restored = await post('backup-restore', { backupKey })
      expect(restored.success, restored.message).toBe(true)
      expect((await inService(berth, appEnvId, read)).trim()).toBe(expected)
      await berth.ok('DELETE', '/app-env', { appEnvId }, wait)
      await berth.ok('DELETE', '/app-env/backup', { backupKey })
      await eventually(
        () => s3.keys(),
        (keys) => !keys.some((key) => key.includes(backupKey)),
      )
    })
  },
)
