import { Writable } from 'node:stream'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarbour, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

const SECRET = 'correct horse/battery+staple'
const PROGRAM = `
const secret = process.env.PASSWORD
console.error('cannot log in with ' + secret + ', ' + JSON.stringify({ secret }))
console.error('tried postgres://u:' + encodeURIComponent(secret) + '@db and Basic ' + btoa('user:' + secret))
console.error('x'.repeat(190) + secret)
process.exit(3)`

let harbour: Harbour
let log = ''

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
  const written = new Writable({
    write(chunk, _encoding, done) {
      log += chunk
      done()
    },
  })
  harbour.startWorker({ log: pino({ level: 'debug' }, written) })
})

afterAll(() => harbour?.close())

test('a secret that a container prints before it exits is shown nowhere but in its own log', async () => {
  const { database } = harbour
  const appEnvId = await harbour.sample({
    startupConfig: { command: 'node', args: ['-e', PROGRAM], shell: false },
    envVars: [{ name: 'PASSWORD', value: SECRET, type: 'DEPLOY', isSecret: true }],
  })
  const { id } = await harbour.ended(await harbour.deployment(appEnvId))
  const operation = await database.operation.findUniqueOrThrow({ where: { id } })
  expect(operation.message).toMatch(/^Container 0 exited with code 3, \d times in a row\n/)
  expect(operation.message).toContain('cannot log in with ***SECRET***')
  const kept = {
    operation,
    contents: await database.content.findMany({ where: { appEnvId }, omit: { configuration: true } }),
    events: await database.event.findMany({ omit: { sequence: true } }),
    audit: await database.auditEntry.findMany({ omit: { sequence: true } }),
    appEnv: await database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } }),
    log,
  }
  // The beginning, because quoted lines are shortened.
  const forms = [SECRET.slice(0, 10), encodeURIComponent(SECRET), btoa(`user:${SECRET}`).slice(8, -4)]
  for (const [where, value] of Object.entries(kept)) {
    for (const form of forms)
      expect([where, JSON.stringify(value, withoutBigints)]).not.toEqual([where, expect.stringContaining(form)])
  }
})

const withoutBigints = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
