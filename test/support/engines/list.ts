import { clickhouse } from './clickhouse/stand-in.ts'
import { couchdb } from './couchdb/stand-in.ts'
import { mongodb } from './mongodb/stand-in.ts'
import { mysql } from './mysql/stand-in.ts'
import { postgresql } from './postgresql/stand-in.ts'
import { rabbitmq } from './rabbitmq/stand-in.ts'
import { redis } from './redis/stand-in.ts'
import type { StandIn } from './stand-in.ts'

export const STAND_INS: readonly StandIn[] = [mongodb, postgresql, mysql, redis, rabbitmq, couchdb, clickhouse]

/** They take too long to be made and run in every `npm test`. */
export const IN_PROOFS_ONLY: readonly string[] = [mongodb, couchdb, clickhouse].map(({ engine }) => engine)
