import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readBackup, writeBackup } from '../../../src/storage/backups/backup-stream.ts'
import { folderStore } from '../../../src/storage/backups/stores/folder-store.ts'

const CHUNK = 64 * 1024 + 16
const header = { backupId: 'bak_01', presetVersion: 'POSTGRESQL_18' }
const key = randomBytes(32)
const signal = new AbortController().signal
const maxBytes = 100_000_000
const options = { signal, maxBytes, begun: async () => {} }
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-backups-'))
})
afterEach(() => rm(folder, { recursive: true }))

const save = (content: readonly Uint8Array[], about = header, file = 'one') =>
  writeBackup({
    ...options,
    store: folderStore(folder),
    file,
    header: about,
    key,
    async produce(output) {
      for (const chunk of content) await output(chunk)
    },
  })

const load = async (file = 'one', about = header, withKey = key) =>
  Buffer.concat(
    await Array.fromAsync(readBackup({ store: folderStore(folder), file, header: about, key: withKey, signal })),
  )

describe('a backup', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, 1_000_000])('of %i bytes comes back as it was', async (bytes) => {
    const content = randomBytes(bytes)
    const { sizeBytes, sha256 } = await save([content])
    expect(await load()).toEqual(content)
    const stored = await readFile(join(folder, 'one'))
    expect(stored.length).toBe(sizeBytes)
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([1, 999, 65_536, 262_144, 300_000])('in chunks of %i bytes comes back in order', async (bytes) => {
    const chunks = Array.from({ length: Math.min(2000, Math.ceil(1_500_000 / bytes)) }, () => randomBytes(bytes))
    await save(chunks)
    expect((await load()).equals(Buffer.concat(chunks))).toBe(true)
  })

  test('holds neither what was saved nor the key', async () => {
    const canary = Buffer.from('canary-of-a-password-0123456789')
    await save([Buffer.concat(Array.from({ length: 1000 }, () => canary))])
    const stored = await readFile(join(folder, 'one'))
    expect(stored.includes(canary)).toBe(false)
    expect(stored.includes(key)).toBe(false)
    expect(stored.length).toBeLessThan(2000)
  })

  test('that fails half way leaves no file', async () => {
    const failing = writeBackup({
      ...options,
      store: folderStore(folder),
      file: 'one',
      header,
      key,
      async produce(output) {
        await output(randomBytes(500_000))
        throw new Error('the command ended with 1')
      },
    })
    await expect(failing).rejects.toThrow('the command ended with 1')
    expect(await readdir(folder)).toEqual([])
  })

  test('whose storage fails ends what produces it', async () => {
    let ended: unknown
    const broken = {
      ...folderStore(folder),
      async write(_file: string, content: AsyncIterable<Uint8Array>) {
        for await (const _ of content) throw new Error('the disk is gone')
      },
    }
    const writing = writeBackup({
      ...options,
      store: broken,
      file: 'one',
      header,
      key,
      async produce(output) {
        try {
          for (;;) await output(randomBytes(100_000))
        } catch (error) {
          ended = error
          throw error
        }
      },
    })
    await expect(writing).rejects.toThrow('the disk is gone')
    expect(ended).toBeInstanceOf(Error)
  })

  test('that is aborted leaves no file', async () => {
    const controller = new AbortController()
    const writing = writeBackup({
      store: folderStore(folder),
      file: 'one',
      header,
      key,
      maxBytes,
      begun: async () => {},
      signal: controller.signal,
      async produce(output) {
        for (let chunks = 0; ; chunks += 1) {
          await output(randomBytes(100_000))
          if (chunks === 5) controller.abort(new Error('superseded'))
        }
      },
    })
    await expect(writing).rejects.toThrow('superseded')
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a damaged backup', () => {
  let stored = Buffer.alloc(0)
  let headerEnd = 0
  const content = randomBytes(300_000)

  beforeEach(async () => {
    await save([content])
    stored = await readFile(join(folder, 'one'))
    headerEnd = 12 + stored.readUInt32BE(8)
  })

  const replaced = async (bytes: Buffer) => {
    await writeFile(join(folder, 'one'), bytes)
    return load()
  }

  test('is refused wherever a byte is flipped', async () => {
    const places = [
      ...Array.from({ length: headerEnd }, (_, at) => at),
      headerEnd,
      headerEnd + CHUNK - 1,
      headerEnd + CHUNK,
      headerEnd + 2 * CHUNK + 7,
      stored.length - 1,
    ]
    for (const at of places) {
      const changed = Buffer.from(stored)
      changed[at] = (changed[at] ?? 0) ^ 1
      await expect(replaced(changed), `byte ${at}`).rejects.toMatchObject({ reason: 'BACKUP_DAMAGED' })
    }
  })

  test.each([
    ['inside the preamble', () => 5, 'does not begin as a backup does'],
    ['inside the header', () => headerEnd - 3, 'header cannot be read'],
    ['after the header', () => headerEnd, 'chunk 1 '],
    ['inside a chunk', () => headerEnd + CHUNK + 100, 'chunk 2 '],
    ['between two chunks', () => headerEnd + 2 * CHUNK, 'ends after chunk 2, and more should follow'],
    ['before the last byte', () => stored.length - 1, 'was changed, moved or cut off'],
  ])('is refused when it was cut %s', async (_where, length, words) => {
    await expect(replaced(stored.subarray(0, length()))).rejects.toThrow(words)
  })

  test('is refused when something follows it', async () => {
    await expect(replaced(Buffer.concat([stored, Buffer.from('x')]))).rejects.toThrow('was changed, moved or cut off')
  })

  test('is refused when chunks are swapped, repeated or left out', async () => {
    const chunk = (number: number) => stored.subarray(headerEnd + number * CHUNK, headerEnd + (number + 1) * CHUNK)
    const start = stored.subarray(0, headerEnd)
    const rest = stored.subarray(headerEnd + 2 * CHUNK)
    for (const [words, chunks] of [
      ['chunk 1 ', [chunk(1), chunk(0), rest]],
      ['chunk 2 ', [chunk(0), chunk(0), rest]],
      ['chunk 2 ', [chunk(0), rest]],
    ] as const)
      await expect(replaced(Buffer.concat([start, ...chunks]))).rejects.toThrow(words)
  })

  test('is refused under the id, the version or the key of another', async () => {
    await expect(load('one', { ...header, backupId: 'bak_02' })).rejects.toThrow(
      'another backup, bak_01, not of bak_02',
    )
    await expect(load('one', { ...header, presetVersion: 'POSTGRESQL_17' })).rejects.toThrow('says POSTGRESQL_18')
    await expect(load('one', header, randomBytes(32))).rejects.toThrow('chunk 1 ')
  })

  test('is missing when its file is gone', async () => {
    await expect(load('two')).rejects.toMatchObject({ reason: 'BACKUP_MISSING' })
  })
})
