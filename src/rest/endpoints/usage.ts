import { z } from 'zod'
import type { UsageLine } from '../../domain/usage-price.ts'
import { budget, usage, usageLine, usageStatement } from '../../resources/usage.ts'
import { id, instant } from '../../services/kernel/input.ts'
import { csvText } from '../protocol/csv.ts'
import { paging } from '../protocol/query.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { Csv, read } from '../protocol/route.ts'

const accountId = id('account').optional()

export const getUsage = read({
  name: 'getUsage',
  permission: 'account:read',
  about:
    'What an account used, by environment, kind and day, with prices, totals and a forecast; of your current account when accountId is omitted. With `format=csv`, or `Accept: text/csv`, all lines as CSV.',
  query: z.strictObject({
    accountId,
    from: instant('Time from which on usage is counted; the beginning of the month when omitted.').optional(),
    to: instant('Time until which usage is counted; now when omitted.').optional(),
    format: z.enum(['json', 'csv']).default('json').describe('Format of the answer. CSV has no pages.'),
    ...paging,
  }),
  answer: z.object({
    ...usage.answer.type.shape,
    lines: z.array(usageLine.answer.type).describe('Lines of the page, by day.'),
    nextCursor: z.string().optional().describe('Cursor of the next page; only present when there is one.'),
  }),
  mayBeCsv: true,
  async run({ services, caller }, { format, limit, cursor, ...filter }) {
    if (format === 'csv') return new Csv(csvText(COLUMNS, (await services.usage.lines(caller, filter, {})).rows))
    const { rows: lines, nextCursor } = await services.usage.lines(caller, filter, { limit, cursor })
    const totals = await services.usage.totals(caller, filter)
    return { ...totals, lines, ...(nextCursor === null ? {} : { nextCursor }) }
  },
})

const COLUMNS = Object.keys(usageLine.fields) as (keyof UsageLine)[]

export const listStatements = getList({
  name: 'listStatements',
  permission: 'account:read',
  about:
    'The statements of an account for months that are over, newest first; of your current account when accountId is omitted.',
  query: { accountId },
  items: 'statements',
  answer: usageStatement.answer,
  find: ({ services, caller }, filter, page) => services.usage.statements(caller, filter, page),
})

export const getBudget = getOne({
  name: 'getBudget',
  permission: 'account:read',
  about: 'The budget of an account, and how much of it is spent; of your current account when accountId is omitted.',
  query: { accountId },
  answer: budget.answer,
  find: ({ services, caller }, filter) => services.usage.budget(caller, filter),
})
