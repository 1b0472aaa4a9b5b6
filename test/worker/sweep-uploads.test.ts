import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uploadFile } from '../../src/config/upload-files.ts'
import { newId } from '../../src/domain/ids.ts'
import { sweepUploads } from '../../src/worker/housekeeping/delete-expired.ts'
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

/** A file of an upload, by name, that was written so long ago. */
async function file(name: string, ageMs: number): Promise<string> {
  const path = join(folder, 'uploads', name)
  const at = new Date(Date.now() - ageMs)
  await writeFile(path, 'archive')
  await utimes(path, at, at)
  return name
}

/** An archive that is on record. */
async function archive(appEnvId: string, ageMs: number): Promise<string> {
  const [id, sha256, at] = [newId('upl'), 'a'.repeat(64), new Date(Date.now() - ageMs)]
  const data = { id, appEnvId, fileExtension: '.zip', secretHash: id, expiresAt: at, uploadedAt: at, sha256 }
  await world.database.upload.create({ data })
  return file(uploadFile(id, sha256), ageMs)
}

test('of each environment the newest archives are kept, and nothing that broke off', async () => {
  const [one, other] = [await world.appEnv(), await world.appEnv()]
  const old: string[] = []
  for (let number = 0; number < 7; number += 1) old.push(await archive(one.appEnvId, 2 * DAY_MS))
  const alone = await archive(other.appEnvId, 30 * DAY_MS)
  const recent = await archive(one.appEnvId, 1000)
  // Those that are being written, or are whole and not on record yet, look like those that never will be.
  const unrecorded = [await file('upl_a.writing.part', 1000), await file(`${newId('upl')}.sha`, 1000)]
  await file('upl_b.broken.part', 2 * DAY_MS)
  await file(`${newId('upl')}.sha`, 2 * DAY_MS)
  await sweepUploads(world.config, world.database)
  const kept = await readdir(join(folder, 'uploads'))
  expect(kept.sort()).toEqual([...old.slice(-4), alone, recent, ...unrecorded].sort())
  expect(await world.database.upload.count()).toBe(6)
})
