import { connect } from 'node:net'
import { runningApp } from '../support/running-app.ts'
import type { FreshBerth } from '../trust-case.ts'

const MAX_MS = 5_000
const PROGRAM = `
require('node:http').createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('Set-Cookie', 'a=1; Domain=berth.localhost')
    response.writeHead(request.url === '/none' ? 204 : 200, request.url === '/none' ? { 'Content-Length': 0 } : {}).end()
  })
}).listen(3000)
process.on('SIGTERM', () => process.exit(0))`

/** Requests to switch protocols that are none, and answers that say too much, through the ingress. */
export async function upgradesAreAnswered(berth: FreshBerth): Promise<string> {
  const { host } = await runningApp(berth, PROGRAM)
  const head = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}`
  const upgrade = 'Connection: Upgrade\r\nUpgrade: echo\r\n'
  const [withBody, ms] = await answersTo(berth, head('/', `${upgrade}Content-Length: 2\r\n\r\nhi`), 1)
  const [pipelined] = await answersTo(berth, `${head('/', '\r\n')}${head('/', `${upgrade}\r\n`)}`, 2)
  const [none] = await answersTo(berth, head('/none', '\r\n'), 1)
  if (!/^HTTP\/1\.1 200 /.test(withBody)) throw new Error(`An upgrade with a body was answered with ${withBody}`)
  if (pipelined.split('HTTP/1.1 200 ').length !== 3)
    throw new Error(`A pipelined upgrade was answered with ${pipelined}`)
  if (/content-length/i.test(none)) throw new Error(`204 was answered with ${none}`)
  if (/domain=/i.test(withBody)) throw new Error(`A cookie reaches every app: ${withBody}`)
  return `an upgrade with a body answered in ${ms} ms, one behind another request as well; no length with 204, no shared cookie`
}

/** What is answered to these bytes, until so many heads have come. */
function answersTo({ ingressUrl }: FreshBerth, bytes: string, heads: number): Promise<[text: string, ms: number]> {
  const { hostname, port } = new URL(ingressUrl)
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const client = connect(Number(port), hostname, () => client.write(bytes))
    client.setTimeout(MAX_MS, () => client.destroy(new Error(`No answer within ${MAX_MS} ms to ${bytes}`)))
    let text = ''
    client.on('data', (chunk) => {
      text += chunk
      // A body in chunks ends as a head does.
      if (text.split('HTTP/1.1 ').length > heads && text.endsWith('\r\n\r\n')) client.end()
    })
    client.on('error', reject)
    client.on('close', () => resolve([text, Math.round(performance.now() - since)]))
  })
}
