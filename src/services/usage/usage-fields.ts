import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type { UsageKind } from '../../domain/usage-interval.ts'
import type { StatementLine, UsageAmount, UsageLine, UsageUnit } from '../../domain/usage-price.ts'

export const usageKind = enumeration<UsageKind>('UsageKind', 'Kind of usage.', {
  COMPUTE: 'Containers that serve, while they run: by their size and how long.',
  FROZEN: 'Memory of containers that are frozen until the next request.',
  JOB_RUN: 'Containers of job runs, while they run: by their size and how long.',
  BUILD: 'Builds from source, while they run.',
  VOLUME: 'Disk of volumes, as much as they were given.',
  BACKUP: 'Stored backups, by their size.',
})

export const usageUnit = enumeration<UsageUnit>('UsageUnit', 'Unit of a quantity that was used.', {
  ZCLOUD_SECOND: 'One zCloud for one second.',
  SECOND: 'One second of a build.',
  MB_SECOND: '1024 × 1024 bytes for one second.',
})

const DECIMAL = 'as an exact decimal number.'
const CURRENCY = 'Currency of the amounts, such as EUR.'

const amount = fieldsOf<UsageAmount>()

const amounts = {
  kind: amount.given('kind', usageKind.type, 'Kind of usage.'),
  unit: amount.given('unit', usageUnit.type, 'Unit of the quantity.'),
  quantity: amount.given('quantity', text, `How much was used, ${DECIMAL}`),
  amount: amount.given('amount', text, `Price of it in the currency, ${DECIMAL}`),
}

const line = fieldsOf<UsageLine & StatementLine>()

const lineFields = {
  day: line.given('day', text, 'Day of UTC, such as 2026-11-23.'),
  appId: line.given('appId', text, 'Id of the app, which may be deleted.'),
  appEnvId: line.given('appEnvId', text, 'Id of the environment, which may be deleted.'),
  envName: line.given('envName', text, 'CLI name of the environment.'),
  ...amounts,
}

export const usageLine = resource({
  name: 'UsageLine',
  id: 'UsageLine',
  description: 'Usage of one kind by one environment on one day.',
  examples: {
    day: '2026-11-20',
  },
  fields: lineFields,
})

export const usageTotal = resource({
  name: 'UsageTotal',
  description: 'Usage of one kind by all environments of an account together.',
  fields: amounts,
})

/** What environments with one value of a label used together. */
export interface LabelTotals {
  value: string | null
  total: string
  totals: UsageAmount[]
}

const ofLabel = fieldsOf<LabelTotals>()

const usageOfLabel = resource({
  name: 'UsageOfLabel',
  id: 'UsageOfLabel',
  description: 'Usage of all environments with one value of a label, between two times.',
  examples: { value: 'payments', total: '4.20' },
  fields: {
    value: ofLabel.given(
      'value',
      text.nullable(),
      'Value of the label; null for environments without it, such as deleted ones.',
    ),
    total: ofLabel.given('total', text, 'Price of the usage of these environments.'),
    totals: ofLabel.given('totals', z.array(usageTotal.answer.type), 'Usage of these environments by kind.'),
  },
})

export interface UsageRecord {
  accountId: string
  from: string
  to: string
  currency: string
  total: string
  forecast: string
  totals: UsageAmount[]
  builds: BuildTotals
  byLabel?: LabelTotals[] | undefined
}

export interface BuildTotals {
  cpuSeconds: number
  writtenMb: number
  cacheMb: number
}

const built = fieldsOf<BuildTotals>()

const buildTotals = resource({
  name: 'UsageBuilds',
  description: 'Resource use of an account’s builds besides time, as far as their builders report it.',
  fields: {
    cpuSeconds: built.given('cpuSeconds', z.number(), 'CPU time of builds that were requested between the two times.'),
    writtenMb: built.given('writtenMb', z.number(), 'Size of the layers that these builds wrote, in MB.'),
    cacheMb: built.given('cacheMb', whole, 'Size of the build caches of the account at present, in MB.'),
  },
})

const usageField = fieldsOf<UsageRecord>()

export const usage = resource({
  name: 'Usage',
  description: 'Usage of an account between two times, and its cost.',
  fields: {
    accountId: usageField.given('accountId', text, 'Id of the account whose usage is shown.'),
    from: usageField.given('from', time, 'Time from which on usage is counted.'),
    to: usageField.given('to', time, 'Time until which usage is counted.'),
    currency: usageField.given('currency', text, CURRENCY),
    total: usageField.given('total', text, 'Price of all that was used between the two times.'),
    forecast: usageField.given(
      'forecast',
      text,
      'Forecast of the cost of the present month, if the usage of the last seven days continues.',
    ),
    totals: usageField.given('totals', z.array(usageTotal.answer.type), 'Usage by kind.'),
    builds: usageField.given('builds', buildTotals.answer.type, 'Resources that builds used, without prices.'),
    byLabel: usageField.given(
      'byLabel',
      z.array(usageOfLabel.answer.type).optional(),
      'Usage by value of the label that `labelKey` names, by value; the totals add up to all that is shown. Only where it was sent.',
    ),
  },
})

const { day: _day, ...ofStatement } = lineFields

export const statementLine = resource({
  name: 'UsageStatementLine',
  description: 'Usage of one kind by one environment in a month, in whole minor units of the currency.',
  fields: ofStatement,
})

export interface StatementRecord {
  accountId: string
  month: string
  currency: string
  total: string
  lines: StatementLine[]
  frozenAt: Date
}

const statement = fieldsOf<StatementRecord>()

export const usageStatement = resource({
  name: 'UsageStatement',
  id: 'UsageStatement',
  description: 'Final usage of an account in a past month. It never changes.',
  examples: {
    month: '2026-11',
    total: '0.30',
    frozenAt: EXAMPLE_TIME,
  },
  fields: {
    accountId: statement.given('accountId', text, 'Id of the account whose statement it is.'),
    month: statement.given('month', text, 'Month of UTC, such as 2026-11.'),
    currency: statement.given('currency', text, CURRENCY),
    total: statement.given('total', text, 'Sum of the lines.'),
    lines: statement.given('lines', z.array(statementLine.answer.type), 'Usage of each environment, by kind.'),
    frozenAt: statement.given('frozenAt', time, 'Time at which the month was closed.'),
  },
})

export interface BudgetRecord {
  accountId: string
  amount: string
  currency: string
  spent: string
  alerts: number[]
}

const budgetField = fieldsOf<BudgetRecord>()

export const budget = resource({
  name: 'Budget',
  id: 'Budget',
  description: 'Monthly budget of an account. Reaching it emits the event budget.reached and stops nothing.',
  examples: {
    amount: '250.50',
    spent: '6.91',
    alerts: [50],
  },
  fields: {
    accountId: budgetField.given('accountId', text, 'Id of the account whose budget it is.'),
    amount: budgetField.given('amount', text, 'Amount for each month.'),
    currency: budgetField.given('currency', text, CURRENCY),
    spent: budgetField.given('spent', text, 'Cost of the present month (UTC) so far.'),
    alerts: budgetField.given(
      'alerts',
      z.array(whole),
      'Percentages of the budget that were reached and announced this month: 50, 80 and 100, each once.',
    ),
  },
})

/** What a budget is set to. */
export const budgetChange = answer(pick(budget.fields, 'accountId', 'amount', 'currency'))
