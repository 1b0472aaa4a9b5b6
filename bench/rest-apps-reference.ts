import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

// A server without a framework: one prepared statement, the same fields, no authentication at all.
const [, , connectionString, accountId] = process.argv
const pool = new pg.Pool({ connectionString, max: 20 })
const query = {
  name: 'apps',
  text: `SELECT id AS "appId", name, slug, git_provider AS "gitProvider", git_namespace AS "gitNamespace", git_repo AS "gitRepo",
           docker_preset AS "dockerPreset", created_at AS "createdAt", updated_at AS "updatedAt", true AS "isCurrent"
         FROM app WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT 200`,
  values: [accountId],
}
const server = createServer(async (_request, response) => {
  const { rows } = await pool.query(query)
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ apps: rows }))
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(process.cpuUsage()))
