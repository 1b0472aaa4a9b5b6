// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables that refer to others
import { setTimeout as sleep } from 'node:timers/promises'
import { throughIngress } from '../../scripts/demo/api.ts'
import { ensureTestImage } from '../support/test-image.ts'
import type { BerthUnderTest } from './berth-under-test.ts'
import { STRINGS } from './corpus.ts'
import type { Findings } from './findings.ts'
import { send, type Wire } from './wire.ts'

/** Says what it was given, as the container sees it. */
const PROGRAM = `
const probes = []
require('node:http').createServer((request, response) => {
  if (request.url === '/healthz') probes.push(request.headers)
  response.end(JSON.stringify({ env: process.env, args: process.argv.slice(1), probe: probes[0] ?? null }))
}).listen(Number(process.env.PORT), () => console.log('listening'))
process.on('SIGTERM', () => process.exit(0))
`

interface Found {
  env: Record<string, string>
  args: string[]
  probe: Record<string, string> | null
}

const API = '/api/public/v1'
const MAX_ARGS = 97
const READY_WITHIN_MS = 30_000

/** Deploys one container with every attack among its variables and arguments, and asks it what has arrived. */
export async function compareInContainer(berth: BerthUnderTest, wire: Wire, findings: Findings): Promise<number> {
  if (!berth.docker) return 0
  const values = STRINGS.filter((text) => !text.includes('\0') && text.isWellFormed())
  const args = values.slice(0, MAX_ARGS)
  const headers = Object.fromEntries(
    STRINGS.filter(isHeaderValue)
      .slice(0, 32)
      .map((text, index) => [`X-Probe-${index}`, text]),
  )
  const host = await deploy(berth, wire, values, args, headers)
  const found = await visit(berth, host)
  const wrong = [
    ...values.filter((text, index) => found.env[`ATTACK_${index}`] !== text),
    ...args.filter((text, index) => found.args[index] !== text),
    ...Object.entries(headers).flatMap(([name, text]) =>
      found.probe?.[name.toLowerCase()] === text.trim() ? [] : [text],
    ),
  ]
  for (const text of wrong)
    findings.add({ phase: 'container', what: `${JSON.stringify(text)} does not arrive as it was sent` })
  return values.length + args.length + Object.keys(headers).length
}

const isHeaderValue = (text: string) => /^[\x20-\x7e]+$/.test(text) && text.trim() === text

async function deploy(
  { docker }: BerthUnderTest,
  wire: Wire,
  values: string[],
  args: string[],
  healthCheckHeaders: Record<string, string>,
): Promise<string> {
  const image = await ensureTestImage(docker ?? undefined)
  const post = async (path: string, body: object) => {
    const answer = await send(wire, { method: 'POST', path: API + path, headers: {}, body: JSON.stringify(body) })
    if (answer.status !== 200) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text) as Record<string, string>
  }
  const { accountId } = await post('/account', { name: 'Container' })
  const app = { name: 'Container', accountId, port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
  const { appId } = await post('/app', { ...app, healthCheckHeaders })
  const envVars = values.map((value, index) => ({
    name: `ATTACK_${index}`,
    // What would refer to another variable is written as the text itself.
    value: value.replaceAll('${', () => '$${'),
    isSecret: index % 2 === 0,
  }))
  const startupConfig = { command: 'node', args: ['-e', PROGRAM, '--', ...args], shell: false }
  const { appEnvId } = await post('/app-env', {
    accountId,
    appId,
    name: 'values',
    region: 'local',
    envVars,
    startupConfig,
  })
  await post('/app-env/deploy-image', { appEnvId, image })
  const { text } = await send(wire, { method: 'GET', path: `${API}/app-env?appEnvId=${appEnvId}`, headers: {} })
  return (JSON.parse(text) as { hosts: string[] }).hosts[0] ?? ''
}

async function visit({ ingressPort }: BerthUnderTest, host: string): Promise<Found> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const { status, text } = await throughIngress({ address: '127.0.0.1', port: ingressPort }, host, '/')
    if (status === 200) return JSON.parse(text) as Found
    if (Date.now() > deadline) throw new Error(`The container with the attacks does not answer: ${status} ${text}`)
    await sleep(200)
  }
}
