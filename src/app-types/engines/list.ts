import { clickhouse } from './clickhouse.ts'
import { couchdb } from './couchdb.ts'
import type { Engine } from './engine.ts'
import { mongodb } from './mongodb.ts'
import { mysql } from './mysql.ts'
import { postgresql } from './postgresql.ts'
import { rabbitmq } from './rabbitmq.ts'
import { redis } from './redis.ts'

/** Every engine, in the order in which the APIs show them. */
export const ENGINES: readonly [Engine, ...Engine[]] = [
  mongodb,
  postgresql,
  mysql,
  redis,
  couchdb,
  rabbitmq,
  clickhouse,
]
