import { Counter, type Registry } from 'prom-client'
import type { Database } from '../storage/database/client.ts'
import { readerOf } from '../storage/database/reads/reader.ts'

/** Shows how many reads the reader did not know, and left to Prisma. */
export function registerReadMetrics(registry: Registry, database: Database): void {
  new Counter({
    name: 'berth_reads_total',
    help: 'Reads of lists and records, by what answered them: reader or prisma.',
    labelNames: ['by'],
    registers: [registry],
    collect() {
      const { byReader, byPrisma } = readerOf(database)?.counts ?? { byReader: 0, byPrisma: 0 }
      this.reset()
      this.inc({ by: 'reader' }, byReader)
      this.inc({ by: 'prisma' }, byPrisma)
    },
  })
}
