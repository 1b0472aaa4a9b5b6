import { monthOf } from '../../domain/month.ts'
import type { StatementLine } from '../../domain/usage-price.ts'
import type { Database } from '../database/client.ts'
import type { UsageStatement } from '../database/generated/prisma/client.ts'
import { databaseTime } from '../database/time.ts'
import { statementFor } from './statements.ts'
import { keptSince } from './usage-log.ts'

export interface VerifiedStatement {
  accountId: string
  month: string
  total: string
  currency: string
  /** The log of that month is not kept any more: nothing is compared. */
  isPast: boolean
  /** What differs from the log; null when nothing does. */
  problem: string | null
}

/** Works out every closed statement again from the usage log, and compares. */
export async function* verifyStatements(
  database: Database,
  monthsKept: number,
): AsyncGenerator<VerifiedStatement, void> {
  const since = monthOf(keptSince(await databaseTime(database), monthsKept)).name
  const statements = await database.usageStatement.findMany({ orderBy: [{ accountId: 'asc' }, { month: 'asc' }] })
  for (const statement of statements) yield await verifyStatement(database, statement, since)
}

async function verifyStatement(
  database: Database,
  statement: UsageStatement,
  since: string,
): Promise<VerifiedStatement> {
  const { accountId, month, total, currency } = statement
  const facts = { accountId, month, total, currency, isPast: month < since }
  if (facts.isPast) return { ...facts, problem: null }
  const again = await statementFor(database, accountId, month, currency)
  const recorded = statement.lines as unknown as StatementLine[]
  return { ...facts, problem: differenceOf({ lines: recorded, total }, again) }
}

type Compared = Awaited<ReturnType<typeof statementFor>>

function differenceOf(recorded: Compared, again: Compared): string | null {
  const linesOf = ({ lines }: Compared) => new Map(lines.map((line) => [`${line.appEnvId} ${line.kind}`, line]))
  const [before, after] = [linesOf(recorded), linesOf(again)]
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(key), after.get(key)]
    if (one?.quantity === other?.quantity && one?.amount === other?.amount) continue
    const said = (line: StatementLine | undefined) => (line ? `${line.quantity} for ${line.amount}` : 'nothing')
    return `${key}: the statement says ${said(one)}, the usage log ${said(other)}`
  }
  return recorded.total === again.total ? null : `the statement’s total is ${recorded.total}, the log’s ${again.total}`
}
