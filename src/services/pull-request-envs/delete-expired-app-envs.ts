import type { Logger } from 'pino'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { removeAppEnv } from '../lifecycle/remove-app-env.ts'
import { asSystem, type SystemTools } from '../system/as-system.ts'
import { eachAppEnv, RETRY_SECONDS } from '../system/each-app-env.ts'

interface Tools extends SystemTools {
  log: Logger
}

/** The actor of deletions by expiry. */
const EXPIRY = 'expiry'
const AT_ONCE = 20

/**
 * Deletes environments whose time is over, each in one transaction under its lock: any number of workers may, and one
 * that dies has deleted it, or has done nothing. Protected ones wait until the protection is turned off.
 */
export async function deleteExpiredAppEnvs(tools: Tools): Promise<void> {
  const due = await tools.database.$queryRaw<{ id: string }[]>`
    SELECT id FROM app_env WHERE expires_at <= now() AND deleted_at IS NULL AND NOT prevent_destroy
    ORDER BY expires_at LIMIT ${AT_ONCE}`
  await eachAppEnv(
    due.map(({ id }) => id),
    {
      log: tools.log,
      what: 'Deleting an expired environment',
      begin: (appEnvId) => deleteOne(tools, appEnvId),
      postpone: (appEnvId) => tools.database.$executeRaw`
        UPDATE app_env SET expires_at = now() + make_interval(secs => ${RETRY_SECONDS})
        WHERE id = ${appEnvId} AND expires_at <= now()`,
    },
  )
}

async function deleteOne(tools: Tools, appEnvId: string): Promise<void> {
  await asSystem(tools, appEnvId, EXPIRY, async (context, appEnv) => {
    const { expiresAt, preventDestroy, accountId, name } = appEnv
    // A push may have come since it was found.
    if (!expiresAt || preventDestroy || expiresAt > (await databaseTime(context.tx))) return null
    const operationId = await removeAppEnv(context, {
      type: 'appEnv',
      id: appEnvId,
      accountId,
      appEnvId,
      version: appEnv.version,
      appEnv,
    })
    failpoint('expiry.written', appEnvId)
    const details = { actor: EXPIRY, name, operationId }
    return { action: 'deleteExpiredAppEnv', targetType: 'appEnv', targetId: appEnvId, details }
  })
  failpoint('expiry.committed', appEnvId)
}
