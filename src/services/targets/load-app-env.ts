import { alternativeProblems } from '../../calls/alternatives.ts'
import type { Target } from '../../calls/command.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { conflict, invalidInput, notFound } from '../../domain/errors.ts'
import { pullRequestOf } from '../../domain/pull-request.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { getRow } from '../../storage/database/reads/get-row.ts'

/** How callers name an environment; appEnvId wins when both are sent (contract §1, Addressing). */
export interface AppEnvAddress {
  appEnvId?: string | undefined
  envName?: string | undefined
}

export const withEverything = {
  app: true,
  account: { include: { plan: true } },
  region: true,
  currentContent: true,
  volume: true,
  externalAccess: true,
  requestScaling: true,
  variables: { orderBy: ORDER.variable },
} satisfies Prisma.AppEnvInclude

/** An environment with all that decisions about it depend on. */
export type LoadedAppEnv = Prisma.AppEnvGetPayload<{ include: typeof withEverything }>

export function loadEverything(client: Database | Transaction, id: string): Promise<LoadedAppEnv> {
  const query = { where: { id }, include: withEverything }
  return getRow(client, 'AppEnv', query, () => client.appEnv.findUniqueOrThrow(query))
}

export type AppEnvTarget = Target & { appEnv: LoadedAppEnv }

export function addressOf({ appEnvId, envName }: AppEnvAddress): { id: string } | { cliEnvName: string } {
  if (appEnvId) return { id: appEnvId }
  if (envName) return { cliEnvName: envName }
  throw invalidInput(alternativeProblems(appEnvTarget, {}))
}

/** Locks the environment: the worker's writes and other requests wait, so that the decision stays valid. */
export async function lockAppEnv(tx: Transaction, address: AppEnvAddress): Promise<AppEnvTarget> {
  const where = addressOf(address)
  const named = Object.values(where)[0] as string
  const found = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM app_env WHERE deleted_at IS NULL
      AND ${'id' in where ? Prisma.sql`id = ${where.id}` : Prisma.sql`cli_env_name = ${where.cliEnvName}`}
    FOR UPDATE`
  if (!found[0]) throw notFound('app environment', named)
  const appEnv = await loadEverything(tx, found[0].id)
  return {
    type: 'appEnv',
    id: appEnv.id,
    accountId: appEnv.accountId,
    appEnvId: appEnv.id,
    version: appEnv.version,
    appEnv,
  }
}

/** Throws PULL_REQUEST_ENV for an environment that is built from a pull request, whatever its branch. */
export function requireNoPullRequest(appEnv: LoadedAppEnv): void {
  const of = pullRequestOf(appEnv)
  if (of)
    throw conflict(
      'PULL_REQUEST_ENV',
      `"${appEnv.cliEnvName}" is built from the pull request ${of.number}, and no branch`,
    )
}
