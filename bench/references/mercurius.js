import { hash } from 'node:crypto'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import pg from 'pg'

// The fastest widely known setup: Mercurius with JIT, hand-written prepared SQL, one batched loader. No authentication,
// or with a third argument the look-up of the token as Berth does it: by its hash, kept for half a second.
const [, , connectionString, accountId, asksForToken] = process.argv
const pool = new pg.Pool({ connectionString, max: 20 })

const schema = `
  type Query { apps(first: Int): AppConnection! }
  type AppConnection { nodes: [App!]! }
  type App {
    id: ID! name: String! slug: String! type: String! dockerPreset: String! port: Int useImage: Boolean! image: String
    createdAt: String! updatedAt: String! appEnvs(first: Int): AppEnvConnection!
  }
  type AppEnvConnection { nodes: [AppEnv!]! }
  type AppEnv { id: ID! name: String! cliEnvName: String! status: String! health: String! createdAt: String! }
`

const times = (row) => ({ ...row, createdAt: row.createdAt.toISOString() })

const resolvers = {
  Query: {
    async apps(_root, { first }) {
      const { rows } = await pool.query({
        name: 'apps',
        text: `SELECT id, name, slug, type, docker_preset AS "dockerPreset", port, use_image AS "useImage", image,
                 created_at AS "createdAt", updated_at AS "updatedAt"
               FROM app WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2`,
        values: [accountId, first],
      })
      return { nodes: rows.map((row) => ({ ...times(row), updatedAt: row.updatedAt.toISOString() })) }
    },
  },
}

const loaders = {
  App: {
    async appEnvs(queries) {
      const { rows } = await pool.query({
        name: 'appEnvs',
        text: `SELECT id, app_id, name, cli_env_name AS "cliEnvName", status, health, created_at AS "createdAt"
               FROM app_env WHERE app_id = ANY($1) AND deleted_at IS NULL ORDER BY id DESC`,
        values: [queries.map(({ obj }) => obj.id)],
      })
      const byApp = Map.groupBy(rows, (row) => row.app_id)
      return queries.map(({ obj, params }) => ({ nodes: (byApp.get(obj.id) ?? []).slice(0, params.first).map(times) }))
    },
  },
}

const KEPT_MS = 500
const callers = new Map()

async function requireToken(request, reply) {
  const key = hash('sha256', request.headers.authorization ?? '', 'hex')
  const known = callers.get(key)
  if (known && known.until > performance.now()) return
  const { rows } = await pool.query({
    name: 'token',
    text: `SELECT token.id, membership.account_id, membership.roles FROM token
           JOIN "user" ON "user".id = token.user_id LEFT JOIN membership ON membership.user_id = "user".id
           WHERE token.hash = $1 AND token.revoked_at IS NULL
             AND (token.expires_at IS NULL OR token.expires_at > now())`,
    values: [key],
  })
  if (rows.length === 0) return reply.code(401).send()
  callers.set(key, { rows, until: performance.now() + KEPT_MS })
}

const app = Fastify()
if (asksForToken) app.addHook('onRequest', requireToken)
app.register(mercurius, { schema, resolvers, loaders, jit: 1 })
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.(app.server.address().port)
process.on('message', () => process.send?.(process.cpuUsage()))
