import { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { appEnvTarget, instant } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { restQuery, Versioned } from '../../calls/query.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../storage/database/client.ts'
import { inSnapshot } from '../../storage/database/snapshot.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { pendingChangesOf } from '../configuration/configured.ts'
import { serviceCredentials } from '../service-credentials/service-credentials-fields.ts'
import { loadAppEnv, observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { historyAnswer } from './activity-fields.ts'
import { appEnvAnswer } from './app-env-fields.ts'
import { readAppEnvHistory } from './app-env-history.ts'
import { readAppEnvRecord, readVariables } from './app-env-record.ts'
import { appEnvStatusAnswer } from './app-env-status-fields.ts'
import { readServiceCredentials } from './read-service-credentials.ts'
import { variablesAnswer } from './setting-fields.ts'

/** What was asked for, what runs, and how far apart the two are (contract §2, desired and observed). */
async function readAppEnvStatus(
  { database, vault, config }: { database: Database; vault: Vault; config: Config },
  caller: Caller,
  address: AppEnvAddress,
) {
  const { appEnv, latestContent, hosts } = await inSnapshot(database, async (tx) => {
    const appEnv = await loadAppEnv(tx, caller, address, observeAppEnv)
    const where = { appEnvId: appEnv.id }
    const latestContent = await tx.content.findFirst({ where, orderBy: ORDER.deployment })
    return { appEnv, latestContent, hosts: await tx.host.findMany({ where, orderBy: ORDER.host }) }
  })
  const row = { ...appEnv, hosts, latestContent, pendingChanges: pendingChangesOf(appEnv, vault) }
  return appEnvStatusAnswer.record(row, { caller, config })
}

const REVEALED = 'Whether to show the values of secrets. Admins only; leaves an audit entry.'

/** In GraphQL, all of these are fields of the environment. */
export const getAppEnv = restQuery({
  name: 'getAppEnv',
  path: '/app-env',
  permission: 'appEnv:read',
  about: 'An app environment, by appEnvId or envName.',
  input: { ...appEnvTarget, decrypt: z.boolean().default(false).describe(REVEALED) },
  type: appEnvAnswer.type,
  isSingle: true,
  async run(context, { decrypt, ...address }) {
    const { caller, requestId } = context
    const { record, version } = await readAppEnvRecord(context, caller, address, { decrypt, requestId })
    return new Versioned(record, version)
  },
})

export const getAppEnvStatus = restQuery({
  name: 'getAppEnvStatus',
  path: '/app-env/status',
  permission: 'appEnv:observe',
  about: 'Desired and observed state of an environment.',
  example: {
    answer: {
      health: 'HEALTHY',
      observedReason: null,
      sleeping: false,
      sleepDepth: null,
      sleepingSince: null,
      sleepReason: null,
    },
  },
  input: appEnvTarget,
  type: appEnvStatusAnswer.type,
  isSingle: true,
  run: (context, address) => readAppEnvStatus(context, context.caller, address),
})

export const getAppEnvHistory = restQuery({
  name: 'getAppEnvHistory',
  path: '/app-env/history',
  permission: 'appEnv:observe',
  about: 'The versions of an environment and the changes of its number of containers, newest first.',
  example: { request: { limit: 20 } },
  input: {
    ...appEnvTarget,
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of items in the answer.'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Number of items to skip.'),
    fromDate: instant('Earliest time at which the items were requested.').optional(),
    toDate: instant('Latest time at which the items were requested.').optional(),
  },
  type: historyAnswer.type,
  run: ({ database, caller }, { appEnvId, envName, ...request }) =>
    readAppEnvHistory(database, caller, { appEnvId, envName }, request),
})

export const getVariables = restQuery({
  name: 'getVariables',
  path: '/app-env/variables',
  permission: 'appEnv:read',
  about: 'The environment variables of an environment.',
  input: { ...appEnvTarget, showSecrets: z.boolean().default(false).describe(REVEALED) },
  type: variablesAnswer.type,
  isSingle: true,
  async run(context, { showSecrets, ...address }) {
    const { caller, requestId } = context
    const { variables, version } = await readVariables(context, caller, address, { showSecrets, requestId })
    return new Versioned({ variables }, version)
  },
})

export const getServiceCredentials = restQuery({
  name: 'getServiceCredentials',
  path: '/app-env/credentials',
  permission: 'credentials:reveal',
  about: 'The generated credentials of a managed service. Admins only; leaves an audit entry.',
  input: appEnvTarget,
  type: serviceCredentials.answer.type,
  run: (context, address) => readServiceCredentials(context, context.caller, address, { requestId: context.requestId }),
})
