import { repetitions } from '../repetitions.ts'
import { clickhouse } from './clickhouse/stand-in.ts'
import { couchdb } from './couchdb/stand-in.ts'
import { mongodb } from './mongodb/stand-in.ts'
import { mysql } from './mysql/stand-in.ts'
import { postgresql } from './postgresql/stand-in.ts'
import { rabbitmq } from './rabbitmq/stand-in.ts'
import { redis } from './redis/stand-in.ts'
import type { StandIn } from './stand-in.ts'

export const STAND_INS: readonly StandIn[] = [mongodb, postgresql, mysql, redis, rabbitmq, couchdb, clickhouse]

/** They take too long to be made or started in every `npm run test:all`. */
const IN_PROOFS_ONLY: readonly string[] = [mongodb, rabbitmq, couchdb, clickhouse].map(({ engine }) => engine)

/** Whether tests run this engine; says so where they do not. `npm run test:all` can have fewer of those that are light. */
export function isTested(name: string, fewest: readonly string[] | null = null): boolean {
  if (process.env.BERTH_TEST_ENGINES === 'all') return true
  if (IN_PROOFS_ONLY.includes(name)) {
    console.info(`Skipped: ${name} runs in npm run prove -- services, and here with BERTH_TEST_ENGINES=all`)
    return false
  }
  return repetitions(fewest === null || fewest.includes(name), true)
}
