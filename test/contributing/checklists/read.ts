import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const QUERY = `import { notFound } from '../../domain/errors.ts'
import { permit } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { query } from '../../calls/query.ts'
import { findRow } from '../../calls/read.ts'
import { plan } from './plan-fields.ts'

export const getPlan = query({
  name: 'getPlan',
  path: '/plan',
  permission: 'catalogue:read',
  about: 'A plan, by its code.',
  input: { plan: id('plan').describe('Code of the plan.') },
  of: plan,
  async find({ database, caller }, { plan: code }, wanted) {
    permit(caller, 'catalogue:read', { accountId: null })
    const found = await findRow(database, 'Plan', { ...wanted, where: { code } })
    if (!found) throw notFound('plan', code)
    return found
  },
})
`
const FILE = 'src/services/plan/get-plan.ts'
const CATALOGUE = 'src/services/catalogue.ts'

export const read: ChecklistProof = {
  heading: 'A read',
  follow(copy) {
    copy.write(FILE, QUERY)
    copy.replace(CATALOGUE, '      listPlans,', '      getPlan,\n      listPlans,', [
      "import { getPlan } from './plan/get-plan.ts'",
    ])
  },
  edits: [FILE, CATALOGUE],
  expectOutcome({ sdl, openapi }) {
    const { get } = openapi.paths['/plan']
    expect(get).toMatchObject({ operationId: 'getPlan', description: 'A plan, by its code.' })
    expect(sdl).toMatch(/^ {2}"""A plan, by its code\."""\n {2}plan\(\n.*\n {4}plan: String!\n {2}\): Plan$/m)
  },
  forgotten: [],
}
