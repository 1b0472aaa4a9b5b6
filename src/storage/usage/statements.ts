import { type Month, monthOf } from '../../domain/month.ts'
import { type Statement, statementOf } from '../../domain/usage-price.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../database/client.ts'
import { readUsage } from './usage-lines.ts'

/** A month is closed this long after its end, at the earliest: what ended in it has been recorded by then. */
const EARLIEST_MS = 3_600_000
/** Maximum wait for containers whose end was not observed. */
const LATEST_MS = 72 * 3_600_000

export interface StatementOptions {
  /** The database's time. */
  now: Date
  currency: string
}

/** Closes the months that are over, each once. Returns how many there were. */
export async function freezeStatements(database: Database, { now, currency }: StatementOptions): Promise<number> {
  const over = await database.usageAccount.findMany({
    where: { openSince: { lt: monthOf(new Date(now.getTime() - EARLIEST_MS)).from } },
    select: { accountId: true },
  })
  let closed = 0
  for (const { accountId } of over) {
    if (await database.$transaction((tx) => closeMonth(tx, accountId, { now, currency }))) closed += 1
    failpoint('usage.closed')
  }
  return closed
}

/** Locks out all writers of the account's usage; from then on nothing is added to the month. */
async function closeMonth(tx: Transaction, accountId: string, { now, currency }: StatementOptions): Promise<boolean> {
  await tx.$queryRaw`SELECT 1 FROM usage_account WHERE account_id = ${accountId} FOR UPDATE`
  const { openSince } = await tx.usageAccount.findUniqueOrThrow({ where: { accountId } })
  const month = monthOf(openSince)
  if (now.getTime() < month.to.getTime() + EARLIEST_MS) return false
  const isLate = now.getTime() >= month.to.getTime() + LATEST_MS
  if (!isLate && (await hasUnseen(tx, accountId, month))) return false
  const statement = await statementFor(tx, accountId, month.name, currency)
  // An account that used nothing has nothing to read.
  if (statement.lines.length > 0)
    await tx.usageStatement.create({
      data: { accountId, month: month.name, currency, lines: statement.lines as object[], total: statement.total },
    })
  await tx.usageAccount.update({ where: { accountId }, data: { openSince: month.to } })
  return true
}

/** Something that runs was not seen since the month ended. */
const hasUnseen = async (tx: Transaction, accountId: string, month: Month): Promise<boolean> =>
  (await tx.usageInterval.count({ where: { accountId, hasEnded: false, until: { lt: month.to } } })) > 0

/** The statement of a month, worked out from the usage log and the prices of its days. */
export async function statementFor(
  database: Parameters<typeof readUsage>[0],
  accountId: string,
  month: string,
  currency: string,
): Promise<Statement> {
  const { from, to } = monthOf(new Date(`${month}-01T00:00:00Z`))
  return statementOf(await readUsage(database, { accountId, from, to }), currency)
}
