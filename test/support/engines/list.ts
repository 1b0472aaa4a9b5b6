import { clickhouse } from './clickhouse/stand-in.ts'
import { couchdb } from './couchdb/stand-in.ts'
import { mongodb } from './mongodb/stand-in.ts'
import { mysql } from './mysql/stand-in.ts'
import { postgresql } from './postgresql/stand-in.ts'
import { rabbitmq } from './rabbitmq/stand-in.ts'
import { redis } from './redis/stand-in.ts'
import type { StandIn } from './stand-in.ts'

export const STAND_INS: readonly StandIn[] = [mongodb, postgresql, mysql, redis, rabbitmq, couchdb, clickhouse]

/** They take too long to be made or started in every `npm test`. */
const IN_PROOFS_ONLY: readonly string[] = [mongodb, rabbitmq, couchdb, clickhouse].map(({ engine }) => engine)

/** Whether tests run this engine; says so where they do not. */
export function isTested(name: string): boolean {
  if (!IN_PROOFS_ONLY.includes(name) || process.env.BERTH_TEST_ENGINES === 'all') return true
  console.info(`Skipped: ${name} runs in npm run prove:services, and here with BERTH_TEST_ENGINES=all`)
  return false
}
