import { useState } from 'react'
import { moneyText, quantityText } from '../../../../text/decimal.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Statements } from './documents.ts'
import { KINDS } from './usage-words.ts'

type Statement = NonNullable<ResultOf<typeof Statements>['statements']>['nodes'][number]

/** Months that are over: their numbers change no more. */
export function StatementList({ accountId }: { accountId: string }) {
  const [after, setAfter] = useState<string | null>(null)
  const [shown, setShown] = useState<Statement | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Statements, { variables: { accountId, after } })
  const list = data?.statements
  return (
    <Section title="Statements" isFlush>
      {isLoading && <Skeleton lines={2} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && (
        <Empty title="No month is over yet">
          <p>After the end of each month, its usage and prices are kept as they were, whatever changes later.</p>
        </Empty>
      )}
      {list && list.nodes.length > 0 && (
        <Table
          label="Statements"
          rows={list.nodes}
          keyOf={({ month }) => `statement-${month}`}
          columns={[
            { name: 'Month', kind: 'header', cell: ({ month }) => month },
            { name: 'Closed', cell: ({ frozenAt }) => <Time at={frozenAt} /> },
            { name: 'Cost', kind: 'number', cell: ({ total, currency }) => moneyText(total, currency) },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (statement) => <Button onClick={() => setShown(statement)}>Its lines</Button>,
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
      {shown && (
        <Dialog title={`Statement of ${shown.month}`} isOpen onClose={() => setShown(null)}>
          <Table
            label={`Lines of ${shown.month}`}
            rows={shown.lines}
            keyOf={({ appEnvId, kind }) => `${appEnvId}-${kind}`}
            columns={[
              { name: 'Environment', kind: 'header', cell: ({ envName }) => visibleText(envName) },
              { name: 'Kind', cell: ({ kind }) => KINDS[kind] },
              { name: 'Used', kind: 'number', cell: ({ quantity, unit }) => quantityText(quantity, unit) },
              { name: 'Cost', kind: 'number', cell: ({ amount }) => moneyText(amount, shown.currency) },
            ]}
          />
        </Dialog>
      )}
    </Section>
  )
}
