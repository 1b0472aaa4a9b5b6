// Stands in for clickhouse-client, with the options that the tests and the description of the engine use. Like the real
// one it takes a connection string, and user and password from the environment.
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { query: { type: 'string' }, host: { type: 'string', default: '127.0.0.1' } },
  allowPositionals: true,
})
const { CLICKHOUSE_USER = 'default', CLICKHOUSE_PASSWORD = '' } = process.env
const given = positionals[0] === undefined ? null : new URL(positionals[0])
const user = given ? decodeURIComponent(given.username) : CLICKHOUSE_USER
const password = given ? decodeURIComponent(given.password) : CLICKHOUSE_PASSWORD
const host = given ? given.host : `${values.host}:9000`
const database = given?.pathname.slice(1) || 'default'

const response = await fetch(`http://${host}/?database=${encodeURIComponent(database)}`, {
  method: 'POST',
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  body: values.query ?? '',
})
const answer = await response.text()
if (response.ok) process.stdout.write(answer)
else process.stderr.write(answer)
process.exitCode = Number(response.headers.get('x-clickhouse-exception-code') ?? 0) % 256
