import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { draftOf, makeFolder, moveIntoPlace, writeDraft } from '../../storage/files/durable-files.ts'
import { RouteTable } from './route-table.ts'

const target = { name: z.string(), address: z.string(), port: z.number().int().min(1).max(65535) }

const whole = z.number().int()

const scaling = z.object({
  concurrency: whole,
  maxScale: whole,
  idleSeconds: whole,
  timeoutSeconds: whole,
  revision: whole,
  failure: z.object({ count: whole, reason: z.string(), pauseSeconds: whole }).nullable(),
})

const STORED = z.object({
  format: z.literal(1),
  routes: z.array(
    z.object({
      host: z.string(),
      appEnvId: z.string(),
      cliEnvName: z.string(),
      status: z.enum(['PENDING', 'UPDATING', 'RUNNING', 'STOPPED']),
      hasDeployment: z.boolean(),
      keepsEnding: z.boolean().optional(),
      targets: z.array(z.object({ ...target, contentId: z.string().optional() })),
      scaling: scaling.nullish(),
    }),
  ),
  // A table from before there were any has none.
  tcpRoutes: z
    .array(
      z.object({
        port: z.number().int().min(1).max(65535),
        appEnvId: z.string(),
        cliEnvName: z.string(),
        allowedCidrs: z.array(z.string()),
        maxConnections: z.number().int().nullable(),
        targets: z.array(z.object({ ...target, isReady: z.boolean() })),
      }),
    )
    .default([]),
})

/** The last table on disk, from which an ingress that starts while PostgreSQL is away can route. */
export class TableFile {
  private readonly path: string

  constructor(dataDirectory: string) {
    this.path = join(dataDirectory, 'ingress-table.json')
  }

  /** Null when there is none. Throws when what is there is not a table of ours. */
  async read(): Promise<RouteTable | null> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return null
    const { routes, tcpRoutes } = STORED.parse(JSON.parse(text))
    return new RouteTable(routes, tcpRoutes)
  }

  /** Replaces the file in one step: a crash leaves the old table or the new one, never half of one. */
  async write(table: RouteTable): Promise<void> {
    makeFolder(dirname(this.path))
    const draft = draftOf(this.path)
    try {
      await writeDraft(draft, JSON.stringify({ format: 1, routes: table, tcpRoutes: table.tcpRoutes }))
      failpoint('routes.written')
      await moveIntoPlace(draft, this.path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }
}
