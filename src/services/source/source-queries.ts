import { type Caller, permit } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { sourceInspection } from './source-inspection-fields.ts'

async function findInspection(database: Database, caller: Caller, inspectionId: string) {
  const row = await database.sourceInspection.findUnique({ where: { id: inspectionId } })
  if (!row) throw notFound('source inspection', inspectionId)
  permit(caller, 'app:change', { accountId: row.accountId })
  return sourceInspection.answer.record(row)
}

export const getSourceInspection = recordQuery({
  name: 'getSourceInspection',
  path: '/source-inspection',
  permission: 'app:change',
  about: 'An inspection of a source, and what a worker found. It is kept for an hour.',
  input: { inspectionId: id('source inspection') },
  of: sourceInspection,
  find: ({ database, caller }, { inspectionId }) => findInspection(database, caller, inspectionId),
})
