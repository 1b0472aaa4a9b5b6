import { afterAll, beforeAll, expect, test } from 'vitest'
import { repetitions } from '../support/repetitions.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { type Caller, createCallers, type Target } from './callers.ts'
import { type Call, reads, subscriptions, writes } from './calls.ts'
import { besidesTargetOf, targetOf } from './targets.ts'

/**
 * Every route of REST, every field that a query, a mutation or a subscription begins with, and everything that `node`
 * finds: that it asks for its permission, of the right target. What a permission then means for everybody is one
 * function, of which table.test.ts has every cell. A new one without a permission, or without a case, fails before the
 * first call.
 */
const MAX_MS = 900_000

let world: World
let served: Served
let callers: Caller[]
let all: { call: Call; target: Target; besides: Target }[]

beforeAll(async () => {
  const most = '10000000'
  const settings = {
    BERTH_GIT_PRIVATE_HOSTS: 'true',
    BERTH_RATE_LIMIT: most,
    BERTH_ANONYMOUS_RATE_LIMIT: most,
    BERTH_OPERATION_RATE_LIMIT: '1000000',
  }
  world = await createWorld({ settings })
  served = serveWorld(world)
  const { calls, place } = await reads(world)
  const together = [...calls, ...subscriptions(place), ...(await writes(world))]
  callers = await createCallers(world)
  all = []
  for (const call of together) {
    const target = await targetOf(world, call.permission, call.fields)
    all.push({ call, target, besides: await besidesTargetOf(world, call.fields, target) })
  }
})

afterAll(async () => {
  await served.close()
  await world.close()
})

/** What delegation refuses is in test/domain/delegation-matrix.test.ts; the table had let them in. */
const isDelegation = (reason: string | null) => reason?.endsWith('_BEYOND_OWN') === true

function expected({ call, target, besides }: (typeof all)[number], caller: Caller): string {
  const first = caller.verdict(call.permission, target)
  return first === 'allowed' && call.besides ? caller.verdict(call.besides, besides) : first
}

async function seen(call: Call, caller: Caller, target: Target): Promise<string> {
  const { code, reason } = await call.send(served, caller.token(target))
  if (code === 'UNAUTHENTICATED' || (code === 'FORBIDDEN' && !isDelegation(reason))) return code
  return 'allowed'
}

/**
 * Of the callers of a call, one for each way to be answered: by nobody, refused for what it is, refused for where it is,
 * and allowed. They take turns, so that together the calls see all of them; `npm run prove -- repetitions` sends each
 * call by each.
 */
function callersOf(one: (typeof all)[number], turn: number): Caller[] {
  const answered = (verdict: string, isElsewhere = false) =>
    callers.filter(
      (caller) => expected(one, caller) === verdict && (verdict !== 'FORBIDDEN' || !caller.isElsewhere !== isElsewhere),
    )
  const groups = [
    answered('UNAUTHENTICATED'),
    answered('FORBIDDEN'),
    answered('FORBIDDEN', true),
    // The installation's admin may do everything, and has a test of its own.
    answered('allowed').slice(0, -1),
  ]
  const inTurn = groups.flatMap((group) => group[turn % group.length] ?? [])
  return repetitions(inTurn, callers)
}

test(
  'every call is answered as the table of permissions says',
  async () => {
    const wrong: string[] = []
    const counts = new Map<string, number>()
    const seenCallers = new Set<string>()
    let cells = 0
    for (const [turn, one] of all.entries()) {
      for (const caller of callersOf(one, turn)) {
        cells += 1
        seenCallers.add(caller.name)
        const [want, got] = [expected(one, caller), await seen(one.call, caller, one.target)]
        counts.set(want, (counts.get(want) ?? 0) + 1)
        if (want !== got) wrong.push(`${one.call.name} by ${caller.name}: ${got}, not ${want}`)
      }
    }
    const figures = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')
    console.info(`permission matrix: ${all.length} calls, ${callers.length} callers, ${cells} cells: ${figures}`)
    expect(wrong).toEqual([])
    const unseen = callers.slice(0, -1).map(({ name }) => name)
    expect(unseen.filter((name) => !seenCallers.has(name))).toEqual([])
  },
  MAX_MS,
)

test('the call that is sent is one that is accepted from the installation’s admin', async () => {
  const refused: string[] = []
  for (const { call, target } of all) {
    const { code, reason } = await call.send(served, callers.at(-1)?.token(target) ?? '')
    if (code !== null) refused.push(`${call.name}: ${code} ${reason}`)
  }
  // Each of them got past the check of permissions, which comes before.
  expect(refused).toMatchInlineSnapshot(`
    [
      "GET /git/repositories: CONFLICT GITHUB_APP_NOT_CONFIGURED",
      "Query.gitRepositories: CONFLICT null",
      "POST /account/invitation/accept: CONFLICT ALREADY_MEMBER",
      "Mutation.acceptInvitation: CONFLICT ALREADY_MEMBER",
      "POST /app-env/build: CONFLICT SOURCE_NOT_CONFIGURED",
      "Mutation.buildAppEnv: CONFLICT SOURCE_NOT_CONFIGURED",
      "POST /app-env/notify-code-upload: CONFLICT NOT_UPLOADED",
      "Mutation.notifyCodeUpload: CONFLICT NOT_UPLOADED",
      "POST /app-env/upload-storage-event: CONFLICT NOT_UPLOADED",
      "POST /git-installation: CONFLICT GITHUB_APP_NOT_CONFIGURED",
      "Mutation.connectGitInstallation: CONFLICT GITHUB_APP_NOT_CONFIGURED",
      "POST /token/rotate: CONFLICT TOKEN_NOT_ROTATED",
      "Mutation.rotateToken: CONFLICT TOKEN_NOT_ROTATED",
    ]
  `)
})
