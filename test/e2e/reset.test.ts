import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Docker from 'dockerode'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { leftovers } from '../../scripts/engine-leftovers.ts'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { copyServer } from '../support/copy-server.ts'
import { ownedBy, removeEverything } from '../support/remove-everything.ts'
import { recordInstallation } from '../support/test-installations.ts'

const RESET = join(import.meta.dirname, '../../scripts/reset.ts')

const docker = new Docker()
const installationId = `reset-${randomBytes(6).toString('hex')}`
const labels = { 'berth.installation': installationId }
const template = mkdtempSync(join(tmpdir(), 'berth-reset-'))
const dataDir = join(template, 'copy')

beforeAll(async () => {
  recordInstallation(installationId)
  const server = await startEmbeddedPostgres({ dataDir: template, settings: { fsync: 'off' } })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('CREATE TABLE installation (id text); CREATE TABLE region (code text, engine text)')
  await client.query('INSERT INTO installation VALUES ($1)', [installationId])
  await client.query(`INSERT INTO region VALUES ('local', NULL), ('far', 'tcp://10.0.0.7')`)
  await client.end()
  await server.stop()
})

afterAll(async () => {
  await removeEverything(docker, installationId)
  rmSync(template, { recursive: true, force: true })
})

beforeEach(async () => {
  await removeEverything(docker, installationId)
  rmSync(dataDir, { recursive: true, force: true })
  copyServer(template, dataDir)
  await docker.createVolume({ Name: `${installationId}-data`, Labels: labels })
  await docker.createNetwork({ Name: `${installationId}-network`, Labels: labels })
})

test('lists what it would delete, and changes nothing where nobody can confirm it', async () => {
  const { code, said } = await reset()
  expect(code).toBe(1)
  expect(said).toContain(`1 volumes with their data: ${installationId}-data`)
  expect(said).toContain(`1 networks: ${installationId}-network`)
  expect(said).toContain(dataDir)
  expect(said).toContain('tcp://10.0.0.7')
  expect(said).toContain('npm run reset -- --yes')
  expect(existsSync(join(dataDir, 'postgres'))).toBe(true)
  expect(await left()).toEqual(['network', 'volume'])
})

test('deletes all of it, volumes too', async () => {
  const { code, said } = await reset('--yes')
  expect(code, said).toBe(0)
  expect(existsSync(dataDir)).toBe(false)
  expect(await left()).toEqual([])
})

test('keeps volumes when asked to, and says which', async () => {
  const { code, said } = await reset('--yes', '--keep-volumes')
  expect(code, said).toBe(0)
  expect(said).toMatch(new RegExp(`stay on the engine.*\n.*${installationId}-data`))
  expect(existsSync(dataDir)).toBe(false)
  expect(await left()).toEqual(['volume'])
})

async function reset(...args: string[]): Promise<{ code: number | null; said: string }> {
  const { DATABASE_URL: _, ...env } = process.env
  const child = spawn(process.execPath, [RESET, ...args], {
    env: { ...env, BERTH_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, said: out + err }
}

const left = async () => (await leftovers(docker, ownedBy(installationId))).map(({ kind }) => kind).sort()
