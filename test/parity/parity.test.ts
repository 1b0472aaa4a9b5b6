import { afterAll, beforeAll, expect, test } from 'vitest'
import { repetitions } from '../support/repetitions.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { type ApiCall, callGraphQL, callMcp, callRest, type Outcome } from './apis.ts'
import { expectAuditedChanges } from './audited-changes.ts'
import { PARITY_CASES } from './cases.ts'
import { makeFresh } from './fresh-world.ts'
import type { ParityCase } from './parity-case.ts'
import { snapshot } from './snapshot.ts'

const apis: [name: string, call: ApiCall][] = [
  ['REST', callRest],
  ['GraphQL', callGraphQL],
  ['MCP', callMcp],
]

const kindOf = ({ title, expected }: ParityCase) => `${title.split(/[ ,]/)[0]} ${expected === 'accepted'}`
const FIRST_OF_KIND = new Set(new Map(PARITY_CASES.toReversed().map((one) => [kindOf(one), one])).values())
/** One accepted and one refused call of each command go through MCP as well; in proofs all. */
const goesThroughMcp = repetitions(
  (parity: ParityCase) => FIRST_OF_KIND.has(parity),
  () => true,
)

let passed = 0

interface Installation {
  call: ApiCall
  world: World
  served: Served
  rows: Record<string, number>
}

/** How many rows each table has, whatever the tables are. */
async function rowsOf({ database }: World): Promise<Record<string, number>> {
  const found = await database.$queryRaw<{ name: string; rows: number }[]>`
    SELECT table_name AS name,
      (xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', table_name), false, true, '')))[1]::text::int AS rows
    FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY table_name`
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
}

const installations = new Map<string, Installation>()

beforeAll(async () => {
  for (const [name, call] of apis) {
    const world = await createWorld({ poolSize: 3 })
    await makeFresh(world)
    installations.set(name, { call, world, served: serveWorld(world), rows: await rowsOf(world) })
  }
})

afterAll(async () => {
  for (const { world, served } of installations.values()) {
    await served.close()
    await world.close()
  }
  const threefold = PARITY_CASES.filter(goesThroughMcp).length
  console.info(`parity: ${passed} of ${PARITY_CASES.length} calls agree, ${threefold} of them through MCP as well`)
})

/** One call through one API, in a fresh installation; what was there after it. */
async function goThrough(name: string, { prepare }: ParityCase, see = async (_world: World) => {}) {
  const { call, world, served } = installations.get(name) as Installation
  await makeFresh(world)
  const prepared = await prepare(world)
  await see(world)
  const outcome = await call(served.app, world.adminToken, prepared)
  return { outcome, prepared, after: await snapshot(world.database) }
}

const inWords = (outcome: Outcome) =>
  outcome.accepted ? 'accepted' : [outcome.code, outcome.reason].filter((word) => word !== null).join(' ')

const cases = PARITY_CASES.map((parity) => {
  const through = goesThroughMcp(parity) ? 'REST, GraphQL and MCP' : 'REST and GraphQL'
  return [parity.title, parity.expected, through, parity] as const
})

test.each(cases)(
  '%s is %s through %s, with the same state, events and audit entry',
  async (_title, expected, _through, parity) => {
    // The same through each of them, as what there is afterwards: once is enough.
    let before: unknown
    const see = async ({ database }: World) => {
      before = await snapshot(database)
    }
    const [rest, graphql, mcp] = await Promise.all([
      goThrough('REST', parity, see),
      goThrough('GraphQL', parity),
      goesThroughMcp(parity) ? goThrough('MCP', parity) : null,
    ])
    expect(inWords(rest.outcome)).toBe(expected)
    expect(graphql.outcome).toEqual(rest.outcome)
    expect(graphql.after).toEqual(rest.after)
    if (mcp) expect(mcp.outcome).toEqual(rest.outcome)
    if (mcp) expect(mcp.after).toEqual(rest.after)
    // A refusal changes nothing; an accepted call that changes nothing would prove nothing.
    if (rest.outcome.accepted) expect(rest.after).not.toEqual(before)
    else expect(rest.after).toEqual(before)
    if (rest.outcome.accepted) expectAuditedChanges(parity.title, rest.prepared.command, rest.after)
    passed += 1
  },
)

test('nothing that a case made is left for the next one', async () => {
  for (const { world, rows } of installations.values()) {
    await makeFresh(world)
    expect(await rowsOf(world)).toEqual(rows)
  }
})
