// The program of the services of test/e2e/compose/files: `web` answers what it finds of the others, `worker` fills a list,
// `migrate` makes a table and ends.

import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import pg from 'pg'

const { env } = process
const [mode = 'web'] = process.argv.slice(2)

/** One exchange of a protocol of lines. */
const ask = (host, port, request) =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), host, () => socket.write(request))
    socket.setTimeout(5_000, () => socket.destroy(new Error(`${host} does not answer`)))
    socket.once('data', (answer) => {
      socket.end()
      resolve(String(answer).trim())
    })
    socket.once('error', reject)
  })

async function query(text) {
  const client = new pg.Client(env.DATABASE_URL ? { connectionString: env.DATABASE_URL } : {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const redis = (command) => ask(env.REDIS ?? new URL(env.REDIS_URL).hostname, 6379, `${command}\r\n`)

const CHECKS = {
  database: () =>
    env.DATABASE_URL || env.PGHOST ? query('SELECT current_database() AS name').then(() => 'ok') : undefined,
  migrated: () => (env.MIGRATED ? query('SELECT name FROM migration').then(([row]) => row.name) : undefined),
  redis: () => (env.REDIS || env.REDIS_URL ? redis('PING') : undefined),
  done: async () => (env.QUEUE ? Number((await redis(`LLEN ${env.QUEUE}`)).slice(1)) > 0 : undefined),
  memcached: () =>
    env.MEMCACHED ? ask(...env.MEMCACHED.split(':'), 'version\r\n').then((answer) => answer.split(' ')[0]) : undefined,
  upstream: () => (env.API_URL ? fetch(env.API_URL).then((answer) => answer.json()) : undefined),
  config: () => (env.CONFIG ? fetch(JSON.parse(env.CONFIG).upstream).then(({ status }) => status) : undefined),
  kept() {
    if (!env.DATA_FILE) return undefined
    writeFileSync(env.DATA_FILE, 'kept')
    return readFileSync(env.DATA_FILE, 'utf8')
  },
  greeting: () => env.GREETING,
  arguments: () => process.argv.slice(3),
  container() {
    if (!env.SHOW_CONTAINER) return undefined
    const isWritable = (path) => {
      try {
        accessSync(path, constants.W_OK)
        return true
      } catch {
        return false
      }
    }
    const status = readFileSync('/proc/self/status', 'utf8')
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return {
      uid: process.getuid(),
      hostname: hostname(),
      isRootWritable: isWritable('/app') || isWritable('/var'),
      isTmpWritable: isWritable('/tmp'),
      capabilities: /^CapBnd:\s*(\w+)/m.exec(status)?.[1],
      mayGainPrivileges: /^NoNewPrivs:\s*0/m.test(status),
      openFiles: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]),
      isFirstProcess: process.pid === 1,
    }
  },
}

async function look() {
  const found = {}
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = await Promise.resolve()
      .then(check)
      .catch((error) => `failed: ${error.message}`)
    if (value !== undefined) found[name] = value
  }
  return found
}

if (mode === 'migrate') {
  await query("CREATE TABLE migration AS SELECT 'first' AS name")
} else if (mode === 'worker') {
  for (;;) {
    await redis(`RPUSH ${env.QUEUE} done`).catch((error) => console.error(error.message))
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
} else {
  createServer(async (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(await look()))
  }).listen(Number(env.PORT ?? 3000))
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT']) process.on(signal, () => process.exit(0))
