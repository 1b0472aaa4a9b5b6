import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BackupStore } from '../../../src/storage/backups/stores/backup-store.ts'
import { folderStore } from '../../../src/storage/backups/stores/folder-store.ts'
import { objectStorage } from '../../../src/storage/backups/stores/object-storage.ts'
import { startS3 } from '../../support/s3-server.ts'

const { signal } = new AbortController()

interface Harness extends AsyncDisposable {
  store: BackupStore
  /** Paths of everything that is stored, the unfinished too. */
  files(): Promise<string[]>
}

async function folder(): Promise<Harness> {
  const path = await mkdtemp(join(tmpdir(), 'berth-store-'))
  return {
    store: folderStore(path),
    files: () => readdir(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

async function s3(): Promise<Harness> {
  const server = await startS3()
  return {
    store: await objectStorage(server.login, { allowsPrivate: true }),
    files: () => server.keys(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function* chunksOf(content: Buffer, failure?: Error) {
  for (let at = 0; at < content.length; at += 1_000_000) yield content.subarray(at, at + 1_000_000)
  if (failure) throw failure
}

const read = async (store: BackupStore, file: string) => Buffer.concat(await Array.fromAsync(store.read(file, signal)))

describe.each([
  ['the data folder', folder],
  ['object storage', s3],
])('backups in %s', (_name, open) => {
  const content = randomBytes(20_000_000)
  const nothingToRemember = { signal, begun: async () => {} }

  test('come back as they were, however many parts they took', async () => {
    await using harness = await open()
    const { store } = harness
    for (const [file, bytes] of [
      ['bak_1', content],
      ['bak_2', content.subarray(0, 10)],
      ['bak_3', content.subarray(0, 8 * 1024 * 1024)],
    ] as const) {
      await store.write(file, chunksOf(bytes), nothingToRemember)
      expect((await read(store, file)).equals(bytes)).toBe(true)
    }
  })

  test('are not there before they are whole, and leave nothing when they fail', async () => {
    await using harness = await open()
    const { store, files } = harness
    const failure = new Error('the command failed')
    const content12 = chunksOf(content, failure)
    await expect(store.write('bak_1', content12, nothingToRemember)).rejects.toThrow('the command failed')
    await expect(read(store, 'bak_1')).rejects.toMatchObject({ reason: 'BACKUP_MISSING' })
    expect(await files()).toEqual([])
  })

  test('end with their signal', async () => {
    await using harness = await open()
    const { store, files } = harness
    const controller = new AbortController()
    async function* endless() {
      for (let chunks = 0; ; chunks += 1) {
        yield content.subarray(0, 1_000_000)
        if (chunks === 10) controller.abort(new Error('superseded'))
      }
    }
    const options = { signal: controller.signal, begun: async () => {} }
    await expect(store.write('bak_1', endless(), options)).rejects.toThrow('superseded')
    expect(await files()).toEqual([])
  })

  test('are removed by the beginning of their name, but for the one that is kept', async () => {
    await using harness = await open()
    const { store } = harness
    for (const file of ['bak_1.3', 'bak_1.4', 'bak_2.1'])
      await store.write(file, chunksOf(content.subarray(0, 10)), nothingToRemember)
    await store.remove({ prefix: 'bak_1.', except: 'bak_1.4', unfinished: null, signal })
    await expect(read(store, 'bak_1.3')).rejects.toMatchObject({ reason: 'BACKUP_MISSING' })
    expect(await read(store, 'bak_1.4')).toHaveLength(10)
    expect(await read(store, 'bak_2.1')).toHaveLength(10)
    await store.remove({ prefix: 'bak_9.', except: null, unfinished: null, signal })
  })
})

test('what a killed worker left of a file is removed from the data folder', async () => {
  const path = await mkdtemp(join(tmpdir(), 'berth-store-'))
  onTestFinished(() => rm(path, { recursive: true }))
  await writeFile(join(path, 'bak_1.1.part'), 'half')
  await folderStore(path).remove({ prefix: 'bak_1.', except: null, unfinished: null, signal })
  expect(await readdir(path)).toEqual([])
})

test('what a killed worker left of an upload is removed from object storage', async () => {
  await using server = await startS3()
  const store = await objectStorage(server.login, { allowsPrivate: true })
  const begun = Promise.withResolvers<string>()
  // A worker that was killed neither completes nor aborts.
  const never = new Promise<void>(() => {})
  void store.write('bak_1.1', chunksOf(randomBytes(10)), {
    signal,
    begun: (unfinished) => {
      begun.resolve(unfinished)
      return never
    },
  })
  const unfinished = await begun.promise
  expect(await server.takesParts(unfinished)).toBe(true)
  await store.remove({ prefix: 'bak_1.', except: null, unfinished, signal })
  expect(await server.takesParts(unfinished)).toBe(false)
  // As often as housekeeping likes.
  await store.remove({ prefix: 'bak_1.', except: null, unfinished, signal })
})

describe('object storage', () => {
  test('on a private address is refused', async () => {
    await using server = await startS3()
    const refused = { reason: 'STORAGE_REFUSED', message: expect.stringContaining('BERTH_BACKUP_PRIVATE_HOSTS') }
    await expect(objectStorage(server.login, { allowsPrivate: false })).rejects.toMatchObject(refused)
    const metadata = { ...server.login, endpoint: 'http://169.254.169.254' }
    await expect(objectStorage(metadata, { allowsPrivate: false })).rejects.toMatchObject(refused)
  })

  test.each([
    [{ bucket: 'other' }, 'STORAGE_REFUSED', 'NoSuchBucket'],
    [{ endpoint: 'http://127.0.0.1:1' }, 'STORAGE_UNREACHABLE', 'ECONNREFUSED'],
  ])('with %o fails as %s and says %s', async (wrong, reason, words) => {
    await using server = await startS3()
    const store = await objectStorage({ ...server.login, ...wrong }, { allowsPrivate: true })
    const writing = store.write('bak_1', chunksOf(randomBytes(10)), { signal, begun: async () => {} })
    const error = await writing.catch((error: Error) => error)
    expect(error).toMatchObject({ reason, message: expect.stringContaining(words) })
    expect((error as Error).message).not.toContain(server.login.secretAccessKey)
  })

  test.each([
    [{ endpoint: 'ftp://a.b' }, 'is no address'],
    [{ endpoint: 'https://user:pw@a.b' }, 'is no address'],
    [{ endpoint: 'https://a.b/path' }, 'is no address'],
    [{ bucket: undefined }, 'names no bucket'],
  ])('with %o cannot be used', async (wrong, words) => {
    const login = { bucket: 'b', accessKeyId: 'a', secretAccessKey: 's', ...wrong }
    await expect(objectStorage(login, { allowsPrivate: true })).rejects.toThrow(words)
  })
})
