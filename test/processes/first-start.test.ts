import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openMasterKey } from '../../src/platform/master-key.ts'
import { openInstallation } from '../../src/services/installation.ts'
import type { Database } from '../../src/storage/database/client.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createTestDatabase } from '../support/database.ts'
import { repetitions } from '../support/repetitions.ts'
import { type BerthProcess, spawnBerth } from './berth-process.ts'

const PROCESSES = 3
const ROUNDS = repetitions(2, 12)
const READY = /Berth is ready/

const folders: string[] = []
let running: BerthProcess[] = []

afterEach(async () => {
  await Promise.all(running.map((berth) => berth.end('SIGTERM')))
  running = []
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Resolves once it is ready, or has ended. */
async function outcomeOf(berth: BerthProcess): Promise<'ready' | string> {
  let hasEnded = false
  void berth.ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded && !READY.test(berth.said())) await new Promise((resolve) => setTimeout(resolve, 20))
  return READY.test(berth.said()) ? 'ready' : `ended: ${berth.said()}`
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-first-'))
  folders.push(folder)
  return folder
}

/** Files and folders by their names, without what living processes keep there. */
const contentsOf = (folder: string) => readdirSync(folder).filter((name) => name !== 'processes')

test(`processes that start at once on a new data directory all start, ${ROUNDS} times ${PROCESSES}`, async () => {
  const outcomes: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = newFolder()
    const settings = {
      PORT: '0',
      BERTH_ROLES: 'api',
      BERTH_DATA_DIR: dataDir,
      BERTH_HEALTH_PORT: '0',
      BERTH_LOG_LEVEL: 'silent',
    }
    running = Array.from({ length: PROCESSES }, () => spawnBerth(settings))
    outcomes.push(...(await Promise.all(running.map(outcomeOf))))
    await Promise.all(running.map((berth) => berth.end('SIGTERM')))
    // What was made is whole, belongs to the owner alone, and no draft is left.
    expect(contentsOf(dataDir).toSorted()).toEqual(['admin-token', 'master-key', 'postgres'])
    for (const name of ['admin-token', 'master-key', 'postgres/password']) {
      expect(statSync(join(dataDir, name)).mode & 0o077, name).toBe(0)
      expect(readFileSync(join(dataDir, name), 'utf8').length, name).toBeGreaterThan(20)
    }
    expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
    rmSync(dataDir, { recursive: true, force: true })
  }
  expect(outcomes.filter((outcome) => outcome !== 'ready')).toEqual([])
})

test('a process that looked for the master key before another one made it, and for the installation after, has that key', async () => {
  const { database, drop } = await createTestDatabase()
  const dataDir = newFolder()
  const config = readConfig({ BERTH_DATA_DIR: dataDir })
  const open = async () => {
    const key = await openMasterKey(config, dataDir, database)
    await openInstallation(database, createVault(key), config, 'a token')
    return key
  }
  try {
    let first: Awaited<ReturnType<typeof open>> | undefined
    const findFirst = async () => {
      first = await open()
      return database.installation.findFirst()
    }
    const late = { installation: { findFirst } } as unknown as Database
    expect(await openMasterKey(config, dataDir, late)).toEqual(first)
  } finally {
    await drop()
  }
})

const SECRET_FILE = join(import.meta.dirname, '../../src/storage/files/secret-file.ts')

/** Makes each of the files as soon as the others are ready to make it, too. */
const RACER = `
const { parentPort, workerData } = require('node:worker_threads')
import(workerData.module).then(({ readOrMakeSecretFile }) => {
  const arrived = new Int32Array(workerData.arrived)
  const made = []
  for (let round = 0; round < workerData.rounds; round += 1) {
    Atomics.add(arrived, round, 1)
    while (Atomics.load(arrived, round) < workerData.racers);
    made.push(readOrMakeSecretFile(workerData.folder + '/' + round, () => workerData.name + '-' + round))
  }
  parentPort.postMessage(made)
})`

test('of those who make one secret file at once, all have the same secret', async () => {
  const [racers, rounds, folder] = [2, 200, newFolder()]
  const arrived = new SharedArrayBuffer(rounds * Int32Array.BYTES_PER_ELEMENT)
  const made = await Promise.all(
    Array.from({ length: racers }, async (_, name) => {
      const workerData = { module: SECRET_FILE, folder, rounds, racers, arrived, name: `racer-${name}` }
      const [answer] = await once(new Worker(RACER, { eval: true, workerData }), 'message')
      return answer as string[]
    }),
  )
  expect(made[1]).toEqual(made[0])
  expect(made[0]).toHaveLength(rounds)
  // Neither wins each time, and nobody leaves a draft.
  expect(readdirSync(folder)).toHaveLength(rounds)
})
