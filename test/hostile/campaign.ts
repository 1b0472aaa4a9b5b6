import pg from 'pg'
import { removeEverything } from '../support/remove-everything.ts'
import { recordInstallation } from '../support/test-installations.ts'
import { checkAfterwards } from './afterwards.ts'
import { type BerthUnderTest, startBerthUnderTest } from './berth-under-test.ts'
import { compareInContainer } from './container-values.ts'
import { sendBattery } from './cost-battery.ts'
import { drawOf } from './draw.ts'
import { createFindings, type Findings } from './findings.ts'
import { type FuzzTools, fuzz, TRANSPORTS } from './fuzz.ts'
import { type Attacks, inject } from './injection.ts'
import { mangle } from './raw.ts'
import { abuseSockets, crowd } from './socket-abuse.ts'
import { createSocketClient } from './socket-client.ts'
import { createTargets } from './targets.ts'
import { createWire } from './wire.ts'
import type { Testimony } from './witness.ts'

export interface Campaign extends Attacks {
  databaseUrl: string
  seed: number
  requests: number
  raw: number
  /** WebSockets of the crowd that hangs up. */
  sockets: number
  /** Called after each part. */
  tell(line: string): void
}

const MB = 1024 * 1024
/** Caches fill up in the first part; what grows by more than this in the second has no bound. */
const GROWTH_MB = 64

/** Everything hostile that is known, against one real Berth; what it did wrong. */
export async function attack(campaign: Campaign): Promise<Findings> {
  const findings = createFindings()
  const berth = await startBerthUnderTest(campaign.databaseUrl)
  const installationId = await installationOf(campaign.databaseUrl)
  recordInstallation(installationId)
  try {
    await attackWith(berth, campaign, findings)
    await checkAfterwards(berth, campaign.databaseUrl, findings)
  } catch (error) {
    findings.add({ phase: 'campaign', what: String(error), replay: berth.complaints().slice(0, 5).join('\n') })
  } finally {
    await berth.stop()
    if (berth.docker) await removeEverything(berth.docker, installationId)
  }
  return findings
}

async function attackWith(berth: BerthUnderTest, campaign: Campaign, findings: Findings): Promise<void> {
  const { seed, raw, tell: log } = campaign
  const { port, token } = berth
  const wire = createWire(port, token)
  const targets = await createTargets(wire)
  const sockets = createSocketClient(port, token)
  const tools: FuzzTools = { wire, targets, sockets, findings, seed }
  const before = await fuzzBothApis(berth, tools, campaign)

  log(`${await battery(berth, tools)} costly documents over HTTP, SSE and WebSocket, before any resolver`)
  const mangling = mangle({ targets: targetsOf(berth), token, findings, seed }, raw)
  const [statuses, abuses] = await Promise.all([mangling, abuseSockets(port, token, findings)])
  log(`${raw} mangled requests to both ports: ${shown(statuses)}`)
  log(`${abuses} abuses of WebSocket, each with its close code`)
  await crowd(port, token, targets.idFor('accountId', drawOf(seed, 0)) ?? '', campaign.sockets)
  log(`${campaign.sockets} WebSockets with ten subscriptions each, hung up`)

  const { sent, taken, refused, followed } = await inject(wire, findings, campaign)
  log(`${sent} injections: ${taken} taken and read back by ${followed} calls, ${refused} refused`)
  log(`${await compareInContainer(berth, wire, findings)} values compared inside a container`)
  sockets.close()
  wire.agent.destroy()
  compare(before, await berth.testify({ collect: true }), campaign, findings)
}

/** Returns how much the process holds half-way. */
async function fuzzBothApis(
  berth: BerthUnderTest,
  tools: FuzzTools,
  { requests, tell: log }: Campaign,
): Promise<Testimony> {
  // The first answer of a process waits for what it has to load, which says nothing about the cases.
  await fuzz({ ...tools, findings: createFindings() }, 40, 2 ** 30)
  const first = await fuzz(tools, requests / 2)
  const before = await berth.testify({ collect: true })
  const second = await fuzz(tools, requests / 2, requests / 2)
  const slowest = Math.round(Math.max(first.slowestMs, second.slowestMs))
  const statuses = shown(first.statuses, second.statuses)
  log(`${requests} fuzzed requests over REST and GraphQL, the slowest ${slowest} ms: ${statuses}`)
  return before
}

function compare(before: Testimony, after: Testimony, { tell: log }: Campaign, findings: Findings): void {
  const [was, is] = [before.heap, after.heap].map((bytes) => Math.round(bytes / MB))
  log(
    `heap ${was} MB half-way through the fuzzing, ${is} MB at the end; ${after.resources} sockets, ${before.resources} before`,
  )
  if (after.heap - before.heap > GROWTH_MB * MB) findings.add({ phase: 'memory', what: 'grows without bound' })
  if (after.resources > before.resources + 10)
    findings.add({ phase: 'memory', what: `${after.resources} sockets are left open` })
}

function battery(berth: BerthUnderTest, tools: FuzzTools): Promise<number> {
  const over =
    (transport: 'post' | 'sse' | 'ws') => async (sent: { query: string; variables?: Record<string, unknown> }) =>
      (await TRANSPORTS[transport](tools, { kind: 'query', variables: {}, ...sent })).text
  return sendBattery(berth, { http: over('post'), sse: over('sse'), ws: over('ws') }, tools.findings)
}

const targetsOf = ({ port, ingressPort }: BerthUnderTest) => [
  { name: 'API', port, host: '127.0.0.1' },
  { name: 'ingress', port: ingressPort, host: 'nobody.berth.localhost' },
]

function shown(...all: Map<string | number, number>[]): string {
  const total = new Map<string | number, number>()
  for (const [label, count] of all.flatMap((one) => [...one])) total.set(label, (total.get(label) ?? 0) + count)
  return [...total]
    .map(([label, count]) => `${label}: ${count}`)
    .sort()
    .join(', ')
}

async function installationOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('SELECT id FROM installation')
  await client.end()
  return (rows[0] as { id: string }).id
}
