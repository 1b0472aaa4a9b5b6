import { once } from 'node:events'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Access } from './database-roles.ts'
import { embeddedAccess, hold, release } from './embedded.ts'
import { findServer } from './postgres-server.ts'

const RETRY_MS = 1_000

/**
 * The embedded PostgreSQL that another process starts, and restarts when it dies: two that did so would get into each
 * other's way. Needs no running server, and marks one that runs as used, so that it is not stopped meanwhile.
 */
export function attachEmbeddedPostgres(dataDir: string): Access & { stop(): Promise<void> } {
  const folder = join(realpathSync(dataDir), 'postgres')
  const port = findServer(folder)?.port ?? Number(readFileSync(join(folder, 'port'), 'utf8'))
  const access = embeddedAccess(folder, port)
  const stopping = new AbortController()
  const holding = keepHolding(access, stopping.signal)
  return {
    ...access,
    async stop() {
      stopping.abort()
      const holder = await holding
      if (holder) await release(holder, folder)
    },
  }
}

/** Returns the holding connection, if there is one, once the signal has fired. */
async function keepHolding(access: Access, signal: AbortSignal): Promise<pg.Client | null> {
  const aborted = once(signal, 'abort')
  while (!signal.aborted) {
    const holder = await hold(access).catch(() => null)
    if (holder) await Promise.race([new Promise((resolve) => holder.once('end', resolve)), aborted])
    if (signal.aborted) return holder
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
  return null
}
