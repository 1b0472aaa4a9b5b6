import pino from 'pino'
import { createGraphQL } from '../src/api/graphql/graphql.ts'
import { createAdmission } from '../src/api/http/admission.ts'
import { createRateLimits } from '../src/api/http/rate-limits.ts'
import { listen } from '../src/api/server/listen.ts'
import { createServer } from '../src/api/server/server.ts'
import type { ShortWay } from '../src/api/server/short-way.ts'
import { readConfig } from '../src/config/config.ts'
import { createServices } from '../src/services/services.ts'
import { createDatabase } from '../src/storage/database/client.ts'
import { withoutReader } from '../src/storage/database/reads/reader.ts'
import { createEventFeed } from '../src/storage/events/feed.ts'
import { createWakeups } from '../src/storage/events/wakeups.ts'
import { newKey } from '../src/storage/secrets/keys.ts'
import { createVault } from '../src/storage/secrets/vault.ts'

// The API as production composes it: authentication, limits, metrics and access log all on. Only the rate limit is out
// of reach.
const [url = '', without = ''] = process.argv.slice(2)
const config = readConfig({ PORT: '0', BERTH_RATE_LIMIT: '10000000' })
const log = pino({ level: config.BERTH_LOG_LEVEL })
const database = createDatabase({ url, poolSize: config.DATABASE_POOL_SIZE })
if (without === 'reader') withoutReader(database)
const limits = createRateLimits(config)
const vault = createVault(newKey())
const wakeups = createWakeups({ url, log })
const services = createServices({ database, config, vault, wakeups, limits })
const feed = createEventFeed({ database, wakeups, config, log })
const admission = createAdmission(services.authenticate, limits)
const execution = without === 'plans' ? { execution: [] } : {}
const graphql = createGraphQL({ services, config, log, vault, feed, admission, ...execution })
const server = createServer({ services, config, log, limits, admission, graphql, readiness: {} })
const throughTheServer: ShortWay = (request, response, usual) => usual(request, response)
const api = without === 'short way' ? { ...server, short: throughTheServer } : server
const { port } = await listen({ api, host: '127.0.0.1', port: config.PORT })
process.send?.(port)
process.on('message', () => process.send?.(process.cpuUsage()))
