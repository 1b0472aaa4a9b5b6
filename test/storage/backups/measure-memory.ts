// Sends bytes through a whole backup and back, and prints by how much the process grew: `node measure-memory.ts <MB>`.
import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBackup, writeBackup } from '../../../src/storage/backups/backup-stream.ts'
import { folderStore } from '../../../src/storage/backups/stores/folder-store.ts'

const MB = 1024 * 1024
const CHUNK = 64 * 1024
const WARM_UP_MB = 32
const megabytes = Number(process.argv[2] ?? 256)
const header = { backupId: 'bak_01', presetVersion: 'POSTGRESQL_18' }
const key = randomBytes(32)
const { signal } = new AbortController()

/** Half of it cannot be compressed. */
function* content(megabytes: number) {
  const chunk = Buffer.alloc(CHUNK, 'row ')
  for (let number = 0; number < (megabytes * MB) / CHUNK; number += 1) yield randomFillSync(chunk, 0, CHUNK / 2)
}

async function pass(store: ReturnType<typeof folderStore>, megabytes: number) {
  const sent = createHash('sha256')
  const written = await writeBackup({
    store,
    file: 'one',
    header,
    key,
    signal,
    maxBytes: Number.POSITIVE_INFINITY,
    begun: async () => {},
    async produce(output) {
      for (const chunk of content(megabytes)) {
        sent.update(chunk)
        await output(chunk)
      }
    },
  })
  const received = createHash('sha256')
  for await (const chunk of readBackup({ store, file: 'one', header, key, signal })) received.update(chunk)
  if (sent.digest('hex') !== received.digest('hex')) throw new Error('What came back is not what was sent')
  return written
}

/** In memory where there is space, as tests have it: the growth is that of the process, whichever disk it is. */
async function folderFor(bytes: number): Promise<string> {
  const shared = await statfs('/dev/shm').catch(() => null)
  const hasSpace = shared !== null && shared.bavail * shared.bsize > 2 * bytes
  return mkdtemp(join(hasSpace ? '/dev/shm' : tmpdir(), 'berth-memory-'))
}

const folder = await folderFor(megabytes * MB)
try {
  // A worker has run before: what code and caches take is not the backup's.
  await pass(folderStore(folder), WARM_UP_MB)
  const before = process.memoryUsage.rss()
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 20)
  const since = performance.now()
  const { sizeBytes } = await pass(folderStore(folder), megabytes)
  clearInterval(timer)
  const seconds = (performance.now() - since) / 1000
  console.log(
    JSON.stringify({
      megabytes,
      storedMb: Math.round(sizeBytes / MB),
      grownMb: Math.round((highest - before) / MB),
      seconds: Math.round(seconds * 10) / 10,
    }),
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
