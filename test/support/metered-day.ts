import type { Database } from '../../src/storage/database/client.ts'

const at = (time: string) => new Date(`2025-01-${time}Z`)

/** A container of two zClouds that ran over midnight, long ago, and the statement of its month, as workers leave them. */
export async function meteredDay(
  database: Database,
  where: { accountId: string; appId: string; appEnvId: string },
): Promise<void> {
  const place = { ...where, envName: 'default-shop-production' }
  await database.usageInterval.create({
    data: {
      ...place,
      kind: 'COMPUTE',
      sourceId: 'container',
      amount: 2000n,
      hasEnded: true,
      runAt: at('30T12:00:00'),
      startedAt: at('30T12:00:00'),
      until: at('31T01:00:00.500'),
    },
  })
  const { accountId, ...of } = place
  const line = { ...of, kind: 'COMPUTE', unit: 'ZCLOUD_SECOND', quantity: '93601', amount: '0.00' }
  await database.usageStatement.create({
    data: { accountId, month: '2025-01', currency: 'EUR', lines: [line], total: '0.00' },
  })
}
