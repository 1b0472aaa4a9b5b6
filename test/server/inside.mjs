// Runs inside of the server, with its own Node.js: node inside.mjs <command> [argument]. Calls the API as a user would.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const API = 'http://127.0.0.1:4000/api/public/v1'
const [command, argument = ''] = process.argv.slice(2)

/** Counts from its start how often it reaches the SSH server of the machine that it runs on, and how often it tried. */
const PROBE = `
const net = require('node:net'), fs = require('node:fs')
const gateway = fs.readFileSync('/proc/net/route', 'utf8').split('\\n').map((line) => line.split('\\t')).find((one) => one[1] === '00000000')
const address = gateway[2].match(/../g).reverse().map((byte) => parseInt(byte, 16)).join('.')
let tried = 0, reached = 0
const attempt = () => {
  tried += 1
  const socket = net.connect({ host: address, port: 22, timeout: 500 })
  const next = () => { socket.destroy(); setTimeout(attempt, 50) }
  socket.once('connect', () => { reached += 1; next() }).once('timeout', next).once('error', next)
}
attempt()
require('node:http').createServer((request, response) => response.end(JSON.stringify({ says: '${argument}', address, tried, reached }))).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

const token = () => readFileSync('/root/berth/.berth/admin-token', 'utf8').trim()

/** Repeated, with one key, while a machine that has just booted is too busy to answer. */
async function call(method, path, body) {
  const headers = {
    authorization: token(),
    'content-type': 'application/json',
    ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
  }
  let response
  for (let attempt = 0; attempt < 30; attempt += 1) {
    response = await fetch(API + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(300_000),
    })
    if (![429, 503].includes(response.status)) break
    await pause(1_000)
  }
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text ? JSON.parse(text) : {}
}

async function appEnv(name, fields) {
  const { accounts } = await call('GET', '/accounts')
  const { accountId } = accounts[0]
  const { apps } = await call('GET', `/apps?accountId=${accountId}`)
  const appId =
    apps.find((app) => app.name === name)?.appId ?? (await call('POST', '/app', { accountId, name, ...fields })).appId
  const { appEnvs } = await call('GET', `/app-envs?appId=${appId}`)
  if (appEnvs[0]) return call('GET', `/app-env?appEnvId=${appEnvs[0].appEnvId}`)
  const { appEnvId } = await call('POST', '/app-env', { accountId, appId, name: 'production', region: 'local' })
  return call('GET', `/app-env?appEnvId=${appEnvId}`)
}

const probe = () => appEnv('probe', { port: 3000, isCliDeployment: true })
const cache = () => appEnv('cache', { dockerPreset: 'REDIS' })

/** Uploads a version of the probe, and asks for its build. */
async function build() {
  const { appEnvId } = await probe()
  const files = {
    Dockerfile: 'FROM berth-sample-hello:latest\nCOPY probe.js /probe.js\nCMD ["node", "/probe.js"]\n',
    'probe.js': PROBE,
  }
  execFileSync('sh', ['-c', `rm -rf /tmp/probe && mkdir /tmp/probe`])
  for (const [name, text] of Object.entries(files))
    execFileSync('sh', ['-c', `cat > /tmp/probe/${name}`], { input: text })
  const archive = execFileSync('tar', ['-cz', '-C', '/tmp/probe', '.'])
  const { uploadUrl, storageKey } = await call('POST', '/app-env/request-storage-key', {
    appEnvId,
    fileExtension: '.tgz',
  })
  const put = await fetch(uploadUrl, { method: 'PUT', body: archive })
  if (!put.ok) throw new Error(`PUT: ${put.status}`)
  await call('POST', '/app-env/notify-code-upload', { appEnvId, storageKey })
  return appEnvId
}

const newest = async (appEnvId) => (await call('GET', `/operations?appEnvId=${appEnvId}`)).operations[0]

/** What became of the newest operation of an app, once it has ended. */
async function ended({ appEnvId }) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const operation = await newest(appEnvId).catch(() => null)
    if (operation && !['QUEUED', 'RUNNING'].includes(operation.status)) return operation
    await pause(1_000)
  }
  throw new Error('It does not end')
}

/** Seconds after the boot at which an app answers. By `curl`, because fetch does not send another Host. */
function ask(host) {
  return execFileSync('curl', ['-s', '-m', '10', '-H', `Host: ${host}`, 'http://127.0.0.1:8080/'], { encoding: 'utf8' })
}

async function answers(host, what) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      const text = ask(host)
      if (text.includes(what)) return { seconds: Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]), text }
    } catch {
      // Nothing listens yet.
    }
    await pause(500)
  }
  throw new Error(`${host} does not answer with ${what}`)
}

const COMMANDS = {
  build,
  built: async () => {
    const { status, reason, message } = await ended(await probe())
    return { status, reason, message: message?.slice(0, 500) }
  },
  host: async () => (await probe()).hosts[0],
  answers: () => {
    const [host, what] = argument.split(' ')
    return answers(host, what)
  },
  ready: async () => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const response = await fetch('http://127.0.0.1:4000/readyz', { signal: AbortSignal.timeout(10_000) }).catch(
        () => null,
      )
      if (response?.ok)
        return { seconds: Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]), ...(await response.json()) }
      await pause(500)
    }
    throw new Error('Berth does not get ready')
  },
  whoami: async () => (await call('GET', '/user/token')).userId ?? 'signed in',
  versions: async () =>
    (await call('GET', `/app-env/history?appEnvId=${(await probe()).appEnvId}&size=100`)).deployments?.length,
  service: async () => {
    const { appEnvId } = await cache()
    const operation = await ended({ appEnvId })
    return { appEnvId, status: operation.status, message: operation.message }
  },
  backup: async () =>
    (await call('POST', '/app-env/backup', { appEnvId: (await cache()).appEnvId })).backupId ?? 'asked',
  backups: async () => {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const { backups } = await call('GET', `/app-env/backups?appEnvId=${(await cache()).appEnvId}`)
      if (backups.length > 0 && backups.every(({ status }) => status !== 'CREATING'))
        return backups.map(({ status, reason }) => ({ status, reason }))
      await pause(1_000)
    }
    throw new Error('The backup does not end')
  },
}

console.log(JSON.stringify(await COMMANDS[command]()))
