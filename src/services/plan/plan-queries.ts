import type { Database } from '../../database/client.ts'
import { ORDER } from '../../resources/order.ts'
import { plan } from '../../resources/plan.ts'
import { regionEngine } from '../../resources/region-engine.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { wholeListQuery } from '../kernel/query.ts'
import { findRows, type Wanted } from '../kernel/read.ts'

/** Where the engines are is for the installation's admin alone. */
async function findRegionEngines(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'installation:manage', { accountId: null })
  return findRows(database, 'Region', { ...wanted, where: {}, orderBy: ORDER.region })
}

/** All users see plans, like regions: they belong to no account. */
async function findPlans(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'catalogue:read', { accountId: null })
  return findRows(database, 'Plan', { ...wanted, where: {}, orderBy: ORDER.plan })
}

export const listPlans = wholeListQuery({
  name: 'listPlans',
  path: '/plans',
  permission: 'catalogue:read',
  about: 'The plans of the installation, with their limits.',
  input: {},
  of: plan,
  isRecord: false,
  itemsAbout: 'Plans of the installation, by code.',
  all: ({ database, caller }, _filter, wanted) => findPlans(database, caller, wanted),
})

export const listRegionEngines = wholeListQuery({
  name: 'listRegionEngines',
  path: '/region-engines',
  permission: 'installation:manage',
  about: 'The container engine of each region, and whether it answers. For the installation’s admin.',
  input: {},
  of: regionEngine,
  isRecord: false,
  items: 'engines',
  itemsAbout: 'Engines, by the code of their region.',
  all: ({ database, caller }, _filter, wanted) => findRegionEngines(database, caller, wanted),
})
