// Stands in for clickhouse-server: the engine of chDB, which reads the server's configuration and profiles as it is
// started, behind a front that checks passwords and answers by HTTP, on the port of the native protocol too.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, watchFile, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Session } from 'chdb'

const CONFIG = '/etc/clickhouse-server'
const USER_FILE = `${CONFIG}/users.d/default-user.xml`
/** The engine cannot sign in as another user than its default one, which the server has removed. */
const ENGINE_USERS = '/tmp/engine-users'
const PORTS = [8123, 9000]
const RELOAD_MS = 2000
const AUTHENTICATION_FAILED = 516
const UNSUPPORTED = 1

writeFileSync(
  `${CONFIG}/config.xml`,
  `<clickhouse><users_config>${ENGINE_USERS}/users.xml</users_config></clickhouse>\n`,
)
rmSync(ENGINE_USERS, { recursive: true, force: true })
mkdirSync(`${ENGINE_USERS}/users.d`, { recursive: true })
writeFileSync(
  `${ENGINE_USERS}/users.xml`,
  '<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default><password/>' +
    '<profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks></default></users></clickhouse>\n',
)
for (const name of readdirSync(`${CONFIG}/users.d`))
  if (name !== 'default-user.xml') cpSync(`${CONFIG}/users.d/${name}`, `${ENGINE_USERS}/users.d/${name}`)

const session = new Session('/var/lib/clickhouse', { connectionArgs: [`--config-file=${CONFIG}/config.xml`] })
let user = readUser()
let last = Promise.resolve()

function readUser() {
  const content = readFileSync(USER_FILE, 'utf8')
  const [, name] = /<(\w+)>\s*<profile>/.exec(content) ?? []
  const [, password] = /<password><!\[CDATA\[(.*)\]\]><\/password>/s.exec(content) ?? []
  return { name, password: password?.replaceAll(']]]]><![CDATA[>', ']]>') }
}

function reload() {
  user = readUser()
}

watchFile(USER_FILE, { interval: RELOAD_MS }, reload)

function isSignedIn({ headers }) {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return name === user.name && password === user.password
}

/** One after the other: the engine's only connection has one present database. */
function run(statement, database) {
  const running = last.then(async () => {
    if (/^\s*SYSTEM\s+RELOAD\s+CONFIG\s*$/i.test(statement)) return reload()
    await session.queryAsync(`USE \`${database}\``)
    return (await session.queryAsync(statement, { format: 'TabSeparated' })).text()
  })
  last = running.catch(() => {})
  return running
}

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  if (!isSignedIn(request))
    return refuse(response, 401, AUTHENTICATION_FAILED, 'Authentication failed: password is incorrect, or no such user')
  try {
    const body = await text(request)
    response.end((await run(body, searchParams.get('database') ?? 'default')) ?? '')
  } catch (error) {
    refuse(response, 500, error.clickhouseCode ?? UNSUPPORTED, error.message)
  }
}

function refuse(response, status, code, message) {
  response.writeHead(status, { 'x-clickhouse-exception-code': String(code) })
  response.end(`Code: ${code}. DB::Exception: ${message}\n`)
}

const servers = PORTS.map((port) => createServer(answer).listen(port, process.env.LISTEN_HOST ?? '0.0.0.0'))

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    for (const server of servers) server.close()
    await last
    session.close()
    process.exit(0)
  })
