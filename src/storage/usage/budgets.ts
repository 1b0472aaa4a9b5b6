import { type Month, monthOf } from '../../domain/month.ts'
import { money, sumOf } from '../../domain/usage-price.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database } from '../database/client.ts'
import { record } from '../events/record.ts'
import { readUsage } from './usage-lines.ts'

/** Shares of a budget, in percent, that are announced to the account. */
export const ALERT_PERCENTS = [50, 80, 100] as const

interface Spent {
  accountId: string
  amountMicros: bigint
  micros: bigint
  month: Month
  currency: string
}

/** Announces to accounts the share of their budget that they have spent: each share once a month, by any worker. */
export async function alertBudgets(database: Database, now: Date, currency: string): Promise<void> {
  const month = monthOf(now)
  for (const { accountId, amountMicros } of await database.budget.findMany()) {
    const micros = sumOf(await readUsage(database, { accountId, from: month.from, to: month.to }))
    await alertAccount(database, { accountId, amountMicros, micros, month, currency })
  }
}

async function alertAccount(database: Database, spent: Spent): Promise<void> {
  const { accountId, amountMicros, micros, month, currency } = spent
  const reached = ALERT_PERCENTS.filter((percent) => micros * 100n >= amountMicros * BigInt(percent))
  if (reached.length === 0) return
  const where = { accountId, month: month.name }
  if ((await database.budgetAlert.count({ where })) >= reached.length) return
  await database.$transaction(async (tx) => {
    const crossed = await tx.$queryRaw<{ percent: number }[]>`
      INSERT INTO budget_alert (account_id, month, percent)
      SELECT a.id, ${month.name}, percent FROM account a, unnest(${reached}::int[]) AS percent WHERE a.id = ${accountId}
      ON CONFLICT DO NOTHING RETURNING percent`
    failpoint('usage.alerted')
    const payload = {
      month: month.name,
      spent: money(micros, currency),
      budget: money(amountMicros, currency),
      currency,
    }
    const percents = crossed.map(({ percent }) => percent).sort((one, other) => one - other)
    const events = percents.map((percent) => ({ type: 'budget.reached' as const, payload: { percent, ...payload } }))
    await record(tx, accountId, events)
  })
}
