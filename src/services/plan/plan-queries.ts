import { type Caller, permit } from '../../calls/caller.ts'
import { ORDER } from '../../calls/order.ts'
import { wholeListQuery } from '../../calls/query.ts'
import { findRows, type Wanted } from '../../calls/read.ts'
import type { Database } from '../../storage/database/client.ts'
import { type MachineRecord, machine } from './machine-fields.ts'
import { plan } from './plan-fields.ts'
import { regionEngine } from './region-engine-fields.ts'

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

/** A machine serves all regions that have no engine of their own: what is known of it is the same in each. */
async function findMachines(database: Database, caller: Caller): Promise<MachineRecord[]> {
  permit(caller, 'installation:manage', { accountId: null })
  const regions = await database.region.findMany({ orderBy: ORDER.region, include: { hosts: true } })
  const engines = Map.groupBy(regions, ({ code, engine }) => (engine === null ? null : code))
  return [...engines.values()].map((served) => {
    const [host = UNSEEN] = served.flatMap(({ hosts }) => hosts)
    return machine.answer.record({
      ...host,
      regions: served.map(({ code }) => code),
      engine: served[0]?.engine ?? null,
    })
  })
}

const UNSEEN = {
  reachable: null,
  cpus: null,
  memoryMb: null,
  loadAverage: null,
  memoryUsedMb: null,
  diskMb: null,
  diskFreeMb: null,
  measuredAt: null,
}

export const listMachines = wholeListQuery({
  name: 'listMachines',
  path: '/machines',
  permission: 'installation:manage',
  about:
    'The machines of the container engines, with their size and load, as workers measured them last. For the installation’s admin.',
  input: {},
  of: machine,
  isRecord: true,
  itemsAbout: 'Machines, by the code of their first region.',
  all: ({ database, caller }) => findMachines(database, caller),
})
