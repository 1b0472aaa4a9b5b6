import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { appCases } from './app-cases.ts'
import { credentialCases } from './credential-cases.ts'
import { type Door, graphqlDoor, type Outcome, restDoor } from './doors.ts'
import { makeFresh } from './fresh-world.ts'
import { lifecycleCases } from './lifecycle-cases.ts'
import type { ParityCase } from './parity-case.ts'
import { peopleCases } from './people-cases.ts'
import { settingCases } from './setting-cases.ts'
import { snapshot } from './snapshot.ts'

const cases = [...appCases, ...lifecycleCases, ...peopleCases, ...credentialCases, ...settingCases]
const doors: [name: string, door: Door][] = [
  ['REST', restDoor],
  ['GraphQL', graphqlDoor],
]

let passed = 0

interface Room {
  door: Door
  world: World
  served: Served
}

const rooms = new Map<string, Room>()

beforeAll(async () => {
  for (const [name, door] of doors) {
    const world = await createWorld({ poolSize: 3 })
    rooms.set(name, { door, world, served: serveWorld(world) })
  }
})

afterAll(async () => {
  for (const { world, served } of rooms.values()) {
    await served.close()
    await world.close()
  }
  console.info(`parity: ${passed} of ${cases.length} calls agree through both doors`)
})

/** One call through one API, in a fresh installation. */
async function goThrough(name: string, { prepare }: ParityCase) {
  const { door, world, served } = rooms.get(name) as Room
  await makeFresh(world)
  const prepared = await prepare(world)
  const before = await snapshot(world.database)
  const outcome = await door(served.app, world.adminToken, prepared)
  return { outcome, before, after: await snapshot(world.database) }
}

const inWords = (outcome: Outcome) =>
  outcome.accepted ? 'accepted' : [outcome.code, outcome.reason].filter((word) => word !== null).join(' ')

test.each(cases.map((parity) => [parity.title, parity.expected, parity] as const))(
  '%s is %s through both APIs, with the same state, events and audit entry',
  async (_title, expected, parity) => {
    const rest = await goThrough('REST', parity)
    const graphql = await goThrough('GraphQL', parity)
    expect(inWords(rest.outcome)).toBe(expected)
    expect(graphql.outcome).toEqual(rest.outcome)
    expect(graphql.after).toEqual(rest.after)
    // A refusal changes nothing; an accepted call that changes nothing would prove nothing.
    if (rest.outcome.accepted) expect(rest.after).not.toEqual(rest.before)
    else expect(rest.after).toEqual(rest.before)
    passed += 1
  },
)
