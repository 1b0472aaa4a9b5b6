import { z } from 'zod'
import { parseInput } from '../../../calls/perform.ts'
import type { UsageLine as Line } from '../../../domain/usage-price.ts'
import { type UsageRecord, usage, usageLine } from '../../../services/usage/usage-fields.ts'
import { byLabels, cursorOfLine } from '../../../services/usage/usage-queries.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { connectionOf, pageRequest } from './page.ts'

const Usage = recordType<UsageRecord>(usage)
const UsageLine = recordType<Line>(usageLine)

const FROM = 'Time from which on usage is counted; the beginning of the month when omitted.'
const TO = 'Time until which usage is counted; now when omitted.'
const ACCOUNT = 'Id of the account; your current one when omitted.'

interface Filter {
  accountId?: string | number | null | undefined
  from?: Date | null | undefined
  to?: Date | null | undefined
  labels?: readonly string[] | null | undefined
  labelKey?: string | null | undefined
}

const filterOf = ({ accountId, from, to, labels, labelKey }: Filter) => ({
  ...parseInput(z.strictObject(byLabels), { labels: labels ?? undefined, labelKey: labelKey ?? undefined }),
  accountId: accountId === null || accountId === undefined ? undefined : String(accountId),
  from: from?.toISOString(),
  to: to?.toISOString(),
})

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    nullable: true,
    description: 'Usage of an account and its cost, with a forecast for the month.',
    args: {
      accountId: t.arg.id({ description: ACCOUNT }),
      from: t.arg({ type: 'DateTime', description: FROM }),
      to: t.arg({ type: 'DateTime', description: TO }),
      labels: t.arg.stringList({ description: byLabels.labels.description ?? '' }),
      labelKey: t.arg.string({ description: byLabels.labelKey.description ?? '' }),
    },
    resolve: (_root, filter, { services, caller }) => services.usage.totals(caller, filterOf(filter)),
  }),
  usageLines: t.connection(
    {
      type: UsageLine,
      extensions: { pageSize: USUAL_PAGE },
      description: 'Usage of an account, by day, environment and kind.',
      args: {
        accountId: t.arg.id({ description: ACCOUNT }),
        from: t.arg({ type: 'DateTime', description: FROM }),
        to: t.arg({ type: 'DateTime', description: TO }),
        labels: t.arg.stringList({ description: byLabels.labels.description ?? '' }),
      },
      async resolve(_root, { accountId, from, to, labels, ...page }, { services, caller }) {
        const found = await services.usage.lines(
          caller,
          filterOf({ accountId, from, to, labels }),
          pageRequest(page, USUAL_PAGE),
        )
        return connectionOf(found, cursorOfLine, page.after)
      },
    },
    { name: 'UsageLineConnection' },
    { name: 'UsageLineEdge' },
  ),
}))
