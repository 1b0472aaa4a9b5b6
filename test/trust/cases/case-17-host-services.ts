import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ensureTestImage } from '../../support/test-image.ts'
import { deployEnded, trustApp } from '../support/image-app.ts'
import type { FreshBerth, TrustCase } from '../trust-case.ts'

/** Connects to each address, and answers with what came of it; a name is looked up first. */
const PROGRAM = `
const { connect } = require('node:net')
const gateway = require('node:fs').readFileSync('/proc/net/route', 'utf8').split('\\n').map((line) => line.split('\\t'))
  .filter(([, to]) => to === '00000000').map(([, , hex]) => hex.match(/../g).reverse().map((part) => parseInt(part, 16)).join('.'))[0]
const reach = (host, port) => new Promise((resolve) => {
  const socket = connect({ host: host === 'gateway' ? gateway : host, port, timeout: 3000 })
  socket.on('connect', () => resolve('reached')).on('timeout', () => resolve('timeout')).on('error', ({ code }) => resolve(code))
})
require('node:http').createServer(async (request, response) => {
  const targets = new URL(request.url, 'http://app').searchParams.getAll('target')
  const found = await Promise.all(targets.map((target) => reach(...target.split(','))))
  response.end(JSON.stringify(found))
}).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))
`

export const trustCase: TrustCase = {
  number: 17,
  title: 'Containers reach no service of the host and no metadata',
  async run(berth) {
    const service = createServer((socket) => socket.end('secret')).listen(0, '0.0.0.0')
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo
    try {
      const own = Object.values(networkInterfaces()).flat()
      const addresses = own.flatMap((one) => (one && one.family === 'IPv4' && !one.internal ? [one.address] : []))
      const blocked = ['gateway', ...addresses].map((address) => `${address},${port}`)
      const [first, second] = [await deployed(berth), await deployed(berth, true)]
      const found = await ask(berth, first.host, [...blocked, '169.254.169.254,80', `${second.name},3000`])
      const metadata = found[blocked.length]
      const reached = found.slice(0, blocked.length).filter((one) => one === 'reached')
      if (reached.length > 0) throw new Error(`${reached.length} of ${blocked.length} addresses of the host answered`)
      if (metadata === 'reached' || metadata === 'timeout') throw new Error(`Metadata: ${metadata}`)
      if (found.at(-1) !== 'reached') throw new Error(`Its own account's container, by name: ${found.at(-1)}`)
      return `0 of ${blocked.length} addresses of the host reached (${found[0]}), metadata ${metadata}; its neighbour by name and the ingress to it work`
    } finally {
      service.close()
    }
  },
}

let account = ''

async function deployed(berth: FreshBerth, isNeighbour = false) {
  const startupConfig = { command: 'node', args: ['-e', PROGRAM], shell: false }
  const app = await trustApp(berth, { ...(isNeighbour ? { accountId: account } : {}), appEnv: { startupConfig } })
  account = app.accountId
  const operation = await deployEnded(berth, app, await ensureTestImage(berth.docker))
  if (operation.status !== 'SUCCEEDED') throw new Error(`${operation.reason} ${operation.message}`)
  const { hosts, cliEnvName } = await berth.ok('GET', `/app-env?appEnvId=${app.appEnvId}`)
  return { host: String((hosts as string[])[0]), name: String(cliEnvName) }
}

async function ask({ ingressUrl }: FreshBerth, host: string, targets: readonly string[]): Promise<string[]> {
  const query = new URLSearchParams(targets.map((target) => ['target', target]))
  const { request } = await import('node:http')
  const [response] = await once(request(`${ingressUrl}/?${query}`, { headers: { host } }).end(), 'response')
  return JSON.parse((await response.setEncoding('utf8').toArray()).join(''))
}
