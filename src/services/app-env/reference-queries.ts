import { type Caller, may } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { type QueryContext, recordQuery } from '../../calls/query.ts'
import { holdsCredentials, appEnvReferences as referencesIn } from '../../domain/references.ts'
import { refersTo } from '../../storage/references/referring-variables.ts'
import { getAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { appEnvReferences, type References, type ReferringVariable } from './reference-fields.ts'

/** Environments that are listed. */
const MAX_LISTED = 200
/** Values that are opened to see whether they hold credentials: an environment has at most 500 variables. */
const MAX_VARIABLES = 20_000

interface Found {
  id: string
  appEnvId: string
  name: string
  sealedValue: string
}

/** Which environments refer to one, and by which variables. Those that the caller may not read are counted. */
async function readReferences(
  { database, vault }: Pick<QueryContext, 'database' | 'vault'>,
  caller: Caller,
  address: AppEnvAddress,
): Promise<References> {
  const { id, accountId, cliEnvName, serviceCredentialsId } = await getAppEnv(database, caller, address)
  const referring = await database.$queryRaw<{ id: string; appId: string; envName: string }[]>`
    SELECT e.id, e.app_id AS "appId", e.cli_env_name AS "envName" FROM app_env e
    WHERE e.deleted_at IS NULL AND e.id <> ${id}
      AND EXISTS (SELECT FROM variable v WHERE ${refersTo(accountId, cliEnvName)})
    ORDER BY e.id DESC`
  const listed = referring
    .filter((one) => may(caller, 'appEnv:read', { accountId, appEnvId: one.id }))
    .slice(0, MAX_LISTED)
  const found = await database.$queryRaw<Found[]>`
    SELECT v.id, e.id AS "appEnvId", v.name, v.sealed_value AS "sealedValue" FROM variable v, app_env e
    WHERE ${refersTo(accountId, cliEnvName)} AND e.id = ANY(${listed.map((one) => one.id)}::text[])
    ORDER BY e.id DESC, v.name LIMIT ${MAX_VARIABLES}`
  const account = await database.account.findUniqueOrThrow({ where: { id: accountId } })
  const { openVariable } = vault.forAccount(account)
  const shown = (variable: Found): ReferringVariable => ({
    name: variable.name,
    holdsCredentials:
      serviceCredentialsId !== null &&
      referencesIn([openVariable(variable)]).some(
        ({ envName, url }) => envName === cliEnvName && holdsCredentials(url),
      ),
  })
  const byAppEnv = Map.groupBy(found, ({ appEnvId }) => appEnvId)
  return {
    appEnvs: listed.map(({ id: appEnvId, appId, envName }) => ({
      appEnvId,
      appId,
      envName,
      variables: (byAppEnv.get(appEnvId) ?? []).map(shown),
    })),
    otherCount: referring.length - listed.length,
  }
}

export const getAppEnvReferences = recordQuery({
  name: 'getAppEnvReferences',
  path: '/app-env/references',
  permission: 'appEnv:read',
  about:
    'The environments whose variables refer to an environment, with the names of these variables: read it before a deletion or a rotation of credentials.',
  input: appEnvTarget,
  inGraphQL: 'referencedBy',
  of: appEnvReferences,
  isSingle: false,
  find: (context, address) => readReferences(context, context.caller, address),
})
