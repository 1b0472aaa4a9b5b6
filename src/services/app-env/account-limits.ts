import type { CommandContext } from '../../calls/command.ts'
import { conflict } from '../../domain/errors.ts'
import { MAX_CONTAINERS } from '../../storage/database/max-containers.ts'

interface Change {
  accountId: string
  /** The environment that is changed; null for one that is created. */
  appEnvId: string | null
  /** The most containers that it may have afterwards. */
  containers: number
}

/** Throws CONFLICT when the account would have more environments, or containers, than the installation allows it. */
export async function requireAccountRoom({ tx, config }: CommandContext, change: Change): Promise<void> {
  const { accountId, appEnvId, containers } = change
  // One at a time: two calls must not both find the last place.
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const [others] = await tx.$queryRaw<{ appEnvs: number; containers: number }[]>`
    SELECT count(*)::int AS "appEnvs", coalesce(sum(${MAX_CONTAINERS}), 0)::int AS containers
    FROM app_env WHERE account_id = ${accountId} AND deleted_at IS NULL AND id IS DISTINCT FROM ${appEnvId}`
  const { BERTH_ACCOUNT_APP_ENVS: maxAppEnvs, BERTH_ACCOUNT_CONTAINERS: maxContainers } = config
  if (appEnvId === null && (others?.appEnvs ?? 0) >= maxAppEnvs)
    throw conflict(
      'ACCOUNT_LIMIT',
      `The account has ${others?.appEnvs} environments, and may have ${maxAppEnvs} (BERTH_ACCOUNT_APP_ENVS)`,
    )
  if ((others?.containers ?? 0) + containers > maxContainers)
    throw conflict(
      'ACCOUNT_LIMIT',
      `containers: the account’s other environments have up to ${others?.containers} containers, and ${containers} more ` +
        `are beyond the ${maxContainers} that it may have (BERTH_ACCOUNT_CONTAINERS)`,
    )
}
