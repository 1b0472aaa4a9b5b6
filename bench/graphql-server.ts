import pino from 'pino'
import { readConfig } from '../src/config/config.ts'
import { createDatabase } from '../src/database/client.ts'
import { createEventFeed } from '../src/events/feed.ts'
import { createWakeups } from '../src/events/wakeups.ts'
import { createGraphQL } from '../src/graphql/graphql.ts'
import { createAdmission } from '../src/http/admission.ts'
import { createRateLimits } from '../src/http/rate-limits.ts'
import { newKey } from '../src/secrets/keys.ts'
import { createVault } from '../src/secrets/vault.ts'
import { listen } from '../src/server/listen.ts'
import { createServer } from '../src/server/server.ts'
import { createServices } from '../src/services/services.ts'

// The API as production composes it: authentication, limits, metrics and access log all on. Only the rate limit is out
// of reach.
const url = process.argv[2] ?? ''
const config = readConfig({ PORT: '0', BERTH_RATE_LIMIT: '10000000' })
const log = pino({ level: config.BERTH_LOG_LEVEL })
const database = createDatabase({ url, poolSize: config.DATABASE_POOL_SIZE })
const limits = createRateLimits(config)
const vault = createVault(newKey())
const wakeups = createWakeups({ url, log })
const services = createServices({ database, config, vault, wakeups, limits })
const feed = createEventFeed({ database, wakeups, config, log })
const admission = createAdmission(services.authenticate, limits)
const graphql = createGraphQL({ services, config, log, vault, feed, admission })
const api = createServer({ services, config, log, limits, admission, graphql, readiness: {} })
const { port } = await listen({ api, host: '127.0.0.1', port: config.PORT })
process.send?.(port)
process.on('message', () => process.send?.(process.cpuUsage()))
