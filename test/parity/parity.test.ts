import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveWorld, type Served } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { appCases } from './app-cases.ts'
import { type Door, graphqlDoor, type Outcome, restDoor } from './doors.ts'
import { lifecycleCases } from './lifecycle-cases.ts'
import type { ParityCase } from './parity-case.ts'
import { peopleCases } from './people-cases.ts'
import { snapshot } from './snapshot.ts'

const cases = [...appCases, ...lifecycleCases, ...peopleCases]
const doors: [name: string, door: Door][] = [
  ['REST', restDoor],
  ['GraphQL', graphqlDoor],
]

let passed = 0

afterAll(() => console.info(`parity: ${passed} of ${cases.length} calls agree through both doors`))

/** One call through one door, in an installation that has seen nothing else. */
async function goThrough(door: Door, { prepare }: ParityCase, world: World, served: Served) {
  const prepared = await prepare(world)
  const before = await snapshot(world.database)
  const outcome = await door(served.app, world.adminToken, prepared)
  return { outcome, before, after: await snapshot(world.database) }
}

const inWords = (outcome: Outcome) =>
  outcome.accepted ? 'accepted' : [outcome.code, outcome.reason].filter((word) => word !== null).join(' ')

describe.each(cases.map((parity) => [parity.title, parity] as const))('%s', (_title, parity) => {
  const seen: Record<string, Awaited<ReturnType<typeof goThrough>>> = {}

  beforeAll(async () => {
    for (const [name, door] of doors) {
      const world = await createWorld({ poolSize: 3 })
      const served = serveWorld(world)
      seen[name] = await goThrough(door, parity, world, served)
      await served.close()
      await world.close()
    }
  })

  test(`is ${parity.expected} through both doors, with the same state, events and audit entry`, () => {
    const { REST: rest, GraphQL: graphql } = seen
    if (!rest || !graphql) throw new Error('A door did not answer')
    expect(inWords(rest.outcome)).toBe(parity.expected)
    expect(graphql.outcome).toEqual(rest.outcome)
    expect(graphql.after).toEqual(rest.after)
    // A refusal changes nothing at all; an accepted call that changes nothing would prove nothing.
    if (rest.outcome.accepted) expect(rest.after).not.toEqual(rest.before)
    else expect(rest.after).toEqual(rest.before)
    passed += 1
  })
})
