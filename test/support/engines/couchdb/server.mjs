// Stands in for CouchDB: PouchDB Server, behind a front that has what it lacks: administrators of the configuration files,
// sign-in for every request, /_up, /_dbs_info and the configuration of /_node/_local.
import { spawn } from 'node:child_process'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const LOCAL = '/opt/couchdb/etc/local.d'
const ADMINS_FILE = `${LOCAL}/docker.ini`
const INNER = { host: '127.0.0.1', port: 5985 }
const PORT = 5984
const ITERATIONS = 10

const settings = {}
for (const name of readdirSync(LOCAL).toSorted()) {
  let section = ''
  for (const line of readFileSync(`${LOCAL}/${name}`, 'utf8').split('\n')) {
    const [, opened] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value] = /^([\w.]+) = (.*)$/.exec(line) ?? []
    if (opened) section = opened
    if (key) settings[`${section}.${key}`] = value
  }
}

const derived = (password, salt) => pbkdf2Sync(password, salt, ITERATIONS, 20, 'sha1').toString('hex')

function hashed(password) {
  const salt = randomBytes(16).toString('hex')
  return `-pbkdf2-${derived(password, salt)},${salt},${ITERATIONS}`
}

/** Replaces passwords by hashes, in its file too, as the server does. */
function setAdmin(name, password) {
  settings[`admins.${name}`] = hashed(password)
  const admins = Object.entries(settings).filter(([key]) => key.startsWith('admins.'))
  const lines = admins.map(([key, value]) => `${key.slice('admins.'.length)} = ${value}`)
  writeFileSync(ADMINS_FILE, ['', '[admins]', ...lines, ''].join('\n'))
}
for (const [key, value] of Object.entries(settings))
  if (key.startsWith('admins.') && !value.startsWith('-pbkdf2-')) setAdmin(key.slice('admins.'.length), value)

function isSignedIn({ headers }) {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  const [, hash, salt] = /^-pbkdf2-(\w+),(\w+),/.exec(settings[`admins.${name}`] ?? '') ?? []
  return hash !== undefined && derived(password, salt) === hash
}

const inner = spawn(
  process.execPath,
  [
    `${import.meta.dirname}/node_modules/pouchdb-server/bin/pouchdb-server`,
    '--host',
    INNER.host,
    '--port',
    INNER.port,
    '--dir',
    '/opt/couchdb/data',
    '--config',
    '/tmp/pouchdb.json',
    '--no-stdout-logs',
  ],
  { cwd: '/tmp', stdio: 'inherit' },
)
inner.once('exit', (code) => process.exit(code ?? 1))

const fetched = (path) =>
  new Promise((resolve, reject) => {
    ask({ ...INNER, path }, (response) => resolve(json(response)))
      .on('error', reject)
      .end()
  })

async function infos() {
  const names = await fetched('/_all_dbs')
  return Promise.all(
    names.map(async (key) => {
      const info = await fetched(`/${encodeURIComponent(key)}`)
      return info.error ? { key, error: info.error } : { key, info }
    }),
  )
}

async function answer(request, response) {
  const reply = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(body)}\n`)
  }
  if (!isSignedIn(request)) {
    const isAnonymous = request.headers.authorization === undefined
    if (!isAnonymous) return reply(401, { error: 'unauthorized', reason: 'Name or password is incorrect.' })
    if (settings['chttpd.require_valid_user'] === 'true')
      return reply(401, { error: 'unauthorized', reason: 'Authentication required.' })
  }
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/_up') return reply(200, { status: 'ok', seeds: {} })
  if (pathname === '/_dbs_info') return reply(200, await infos())
  const [, admin] = /^\/_node\/_local\/_config\/admins\/(\w+)$/.exec(pathname) ?? []
  if (admin && request.method === 'PUT') {
    const before = settings[`admins.${admin}`]
    setAdmin(admin, JSON.parse(await text(request)))
    return reply(200, before ?? '')
  }
  const { authorization, ...headers } = request.headers
  const passed = ask({ ...INNER, path: request.url, method: request.method, headers }, (given) => {
    response.writeHead(given.statusCode, given.headers)
    given.pipe(response)
  })
  passed.on('error', () => response.destroy())
  request.pipe(passed)
}

for (;;) {
  const isServing = await fetched('/').then(
    () => true,
    () => false,
  )
  if (isServing) break
  await sleep(100)
}
const front = createServer((request, response) =>
  answer(request, response).catch((error) => response.writeHead(500).end(`${error.message}\n`)),
).listen(PORT)

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    front.close()
    inner.removeAllListeners('exit').once('exit', () => process.exit(0))
    inner.kill()
  })
