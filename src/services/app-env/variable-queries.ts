import type { Caller } from '../../calls/caller.ts'
import { id } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { getAppEnv } from '../targets/get-app-env.ts'
import { variableRecords } from './app-env-record.ts'
import { type OpenVariable, variable } from './variable-fields.ts'

async function findVariable(
  database: Database,
  vault: Vault,
  caller: Caller,
  variableId: string,
): Promise<OpenVariable> {
  const row = await database.variable.findUnique({
    where: { id: variableId },
    include: { appEnv: { select: { account: true } } },
  })
  if (!row) throw notFound('variable', variableId)
  await getAppEnv(database, caller, { appEnvId: row.appEnvId })
  const [record] = variableRecords([row], vault, row.appEnv.account, false)
  if (!record) throw notFound('variable', variableId)
  return record
}

/** REST has it among the variables of its environment. */
export const getVariable = recordQuery({
  name: 'getVariable',
  path: null,
  permission: 'appEnv:read',
  about: 'An environment variable, by its id. A secret is masked.',
  input: { variableId: id('variable') },
  key: { field: 'variableId', prefix: 'var' },
  of: variable,
  find: ({ database, vault, caller }, { variableId }) => findVariable(database, vault, caller, variableId),
})
