import type { UsageLine as Line } from '../../domain/usage-price.ts'
import {
  type BudgetRecord,
  budget,
  budgetChange,
  type StatementRecord,
  type UsageRecord,
  usage,
  usageLine,
  usageStatement,
} from '../../resources/usage.ts'
import { deleteBudget, setBudget } from '../../services/usage/budget-commands.ts'
import { cursorOfLine } from '../../services/usage/usage-queries.ts'
import { builder } from '../builder.ts'
import { commandMutation } from '../derive/command-mutation.ts'
import { recordType } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { connectionOf, pageRequest } from './page.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const Usage = recordType<UsageRecord>(usage)
const UsageLine = recordType<Line>(usageLine)
const UsageStatement = recordType<StatementRecord>(usageStatement)
const Budget = recordType<BudgetRecord>(budget)

const FROM = 'Time from which on usage is counted; the beginning of the month when omitted.'
const TO = 'Time until which usage is counted; now when omitted.'
const ACCOUNT = 'Id of the account; your current one when omitted.'

interface Filter {
  accountId?: string | number | null | undefined
  from?: Date | null | undefined
  to?: Date | null | undefined
}

const filterOf = ({ accountId, from, to }: Filter) => ({
  accountId: accountId === null || accountId === undefined ? undefined : String(accountId),
  ...{ from: from?.toISOString(), to: to?.toISOString() },
})

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    nullable: true,
    description: 'What an account used and what it costs, with a forecast for the month.',
    args: {
      accountId: t.arg.id({ description: ACCOUNT }),
      from: t.arg({ type: 'DateTime', description: FROM }),
      to: t.arg({ type: 'DateTime', description: TO }),
    },
    resolve: (_root, filter, { services, caller }) => services.usage.totals(caller, filterOf(filter)),
  }),
  usageLines: t.connection({
    type: UsageLine,
    extensions: { pageSize: ROOT_PAGE },
    description: 'What an account used, by day, environment and kind.',
    args: {
      accountId: t.arg.id({ description: ACCOUNT }),
      from: t.arg({ type: 'DateTime', description: FROM }),
      to: t.arg({ type: 'DateTime', description: TO }),
    },
    async resolve(_root, { accountId, from, to, ...page }, { services, caller }) {
      const found = await services.usage.lines(caller, filterOf({ accountId, from, to }), pageRequest(page, ROOT_PAGE))
      return connectionOf(found, cursorOfLine, page.after)
    },
  }),
  statements: t.connection({
    type: UsageStatement,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The statements of an account for months that are over, newest first.',
    args: { accountId: t.arg.id({ description: ACCOUNT }) },
    async resolve(_root, { accountId, ...page }, { services, caller }) {
      const found = await services.usage.statements(caller, filterOf({ accountId }), pageRequest(page, ROOT_PAGE))
      return connectionOf(found, ({ month }) => month, page.after)
    },
  }),
  budget: t.field({
    type: Budget,
    nullable: true,
    description: 'The budget of an account, and how much of it is spent.',
    args: { accountId: t.arg.id({ description: ACCOUNT }) },
    resolve: (_root, { accountId }, { services, caller }) => services.usage.budget(caller, filterOf({ accountId })),
  }),
}))

commandMutation(setBudget, { payload: (t) => outcomeFields(t, budgetChange.fields) })
commandMutation(deleteBudget, { payload: (t) => ({ message: messageField(t) }) })
