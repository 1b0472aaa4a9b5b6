import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { engineKeyOf } from '../../domain/engine-key.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

interface ToBeCleared extends Record<string, unknown> {
  message: string
  accountId: string
  engineKey: string
  requestedAt: string
}

export const clearBuildCache = command({
  name: 'clearBuildCache',
  rest: { method: 'DELETE', path: '/app-env/build-cache', answer: messageAnswer },
  versioned: true,
  waits: true,
  about:
    'Clear the build cache that builds of an environment use, cache mounts included: that of all environments of its account on the same container engine. The next builds take longer. It is cleared between two builds.',
  example: {
    answer: {
      message: 'The build cache of "default-shop-production" is going to be cleared, before the next build begins',
    },
  },
  input: z.strictObject(appEnvTarget),
  permission: 'appEnv:operate',
  target: ({ tx }, address) => lockAppEnv(tx, address),
  async execute(context, _input, { appEnv }): Promise<ToBeCleared> {
    const { tx, auditDetails } = context
    const { accountId, region, cliEnvName } = appEnv
    await context.permitOperation(appEnv)
    const engineKey = engineKeyOf(region)
    const clearRequestedAt = await databaseTime(tx)
    await tx.buildCache.upsert({
      where: { accountId_engineKey: { accountId, engineKey } },
      create: { accountId, engineKey, clearRequestedAt },
      update: { clearRequestedAt },
    })
    auditDetails({ cliEnvName, region: region.code })
    return {
      message: `The build cache of "${cliEnvName}" is going to be cleared, before the next build begins`,
      accountId,
      engineKey,
      requestedAt: clearRequestedAt.toISOString(),
    }
  },
  // A worker clears it, once no build uses it.
  progress: {
    observe: async (database: Database, result: ToBeCleared) => ({ hasEnded: await isCleared(database, result) }),
    async answer(database: Database, result: ToBeCleared) {
      const hasEnded = await isCleared(database, result)
      return { ...result, operationStatus: hasEnded ? ('SUCCEEDED' as const) : ('RUNNING' as const) }
    },
  },
})

async function isCleared(database: Database, { accountId, engineKey, requestedAt }: ToBeCleared): Promise<boolean> {
  const found = await database.buildCache.findUnique({ where: { accountId_engineKey: { accountId, engineKey } } })
  // Without a row, the builder has gone with the last environment of the account.
  return !found || (found.clearedAt !== null && found.clearedAt >= new Date(requestedAt))
}
