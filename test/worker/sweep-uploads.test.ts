import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { sweepUploads } from '../../src/worker/sweep-uploads.ts'
import { createWorld, type World } from '../support/world.ts'

const DAY_MS = 86_400_000

let world: World
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-uploads-'))
  world = await createWorld({ settings: { BERTH_DATA_DIR: folder } })
  await mkdir(join(folder, 'uploads'))
})

afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

/** An archive on the disk, with its row unless that is gone. */
async function archive(appEnvId: string, ageMs: number, name = newId('upl'), hasRow = true): Promise<string> {
  const at = new Date(Date.now() - ageMs)
  const file = join(folder, 'uploads', name)
  await writeFile(file, 'archive')
  await utimes(file, at, at)
  const data = { id: name, appEnvId, fileExtension: '.zip', secretHash: name, expiresAt: at, uploadedAt: at }
  if (hasRow) await world.database.upload.create({ data })
  return name
}

test('of each environment the newest archives are kept, and nothing that broke off', async () => {
  const [one, other] = [await world.appEnv(), await world.appEnv()]
  const old: string[] = []
  for (let number = 0; number < 7; number += 1) old.push(await archive(one.appEnvId, 2 * DAY_MS))
  const alone = await archive(other.appEnvId, 30 * DAY_MS)
  const recent = await archive(one.appEnvId, 1000)
  const writing = await archive(one.appEnvId, 1000, 'upl_a.writing.part', false)
  await archive(one.appEnvId, 2 * DAY_MS, 'upl_b.broken.part', false)
  await archive(one.appEnvId, 1000, newId('upl'), false)
  await sweepUploads(world.config, world.database)
  const kept = await readdir(join(folder, 'uploads'))
  expect(kept.sort()).toEqual([...old.slice(-4), alone, recent, writing].sort())
  expect(await world.database.upload.count()).toBe(6)
})
