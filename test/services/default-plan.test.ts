import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createAccount, updateAccount } from '../../src/services/account/account-commands.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { createPlan } from '../../src/services/plan/plan-commands.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  // Its code sorts first.
  const limits = { functionsIncluded: false, autoscalingIncluded: false, maxApps: 1, maxAppEnvs: 1, maxContainers: 1 }
  await world.perform(createPlan, { plan: 'aaa', name: 'Least', ...limits, maxZClouds: 1 })
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const planOf = async (accountId: string) =>
  (await world.database.account.findUniqueOrThrow({ where: { id: accountId } })).planCode

const startWith = (code: string) =>
  openInstallation(world.database, world.vault, readConfig({ BERTH_DEFAULT_PLAN: code }), world.adminToken)

test('a new account is on the default plan, whatever code sorts first, and both APIs tell which that is', async () => {
  const { accountId } = await world.perform(createAccount, { name: 'New' })
  expect(await planOf(accountId)).toBe('standard')
  const { body } = await readRest(served, world.adminToken, 'listPlans')
  const shown = body.plans.map(({ plan, isDefault }: { plan: string; isDefault: boolean }) => [plan, isDefault])
  expect(shown).toEqual([
    ['aaa', false],
    ['standard', true],
  ])
  const plans = await readGraphQL(served, world.adminToken, 'plans { code isDefault }')
  expect(plans.body).toEqual([
    { code: 'aaa', isDefault: false },
    { code: 'standard', isDefault: true },
  ])
})

test('a plan that there is can be the default; an unknown one stops the start, and the plans are named', async () => {
  await startWith('aaa')
  const refusal = await startWith('gold').catch((error: Error) => error.message)
  expect(refusal).toBe(
    'BERTH_DEFAULT_PLAN: there is no plan "gold"; there are: aaa, standard. Set it to one of them, or add the plan to BERTH_PLANS_FILE. Berth does not start.',
  )
  // An account is put on another plan as before.
  await world.perform(updateAccount, { accountId: world.accountId, plan: 'aaa' })
  expect(await planOf(world.accountId)).toBe('aaa')
})
