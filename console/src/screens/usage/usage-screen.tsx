import { useState } from 'react'
import { Link } from 'wouter'
import { megabytesText, moneyText, quantityText } from '../../../../text/decimal.ts'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useAccount } from '../../account/session.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { downloadCsv } from '../../ui/download.ts'
import { Filters, SelectFilter, TextFilter } from '../../ui/filters.tsx'
import { Empty, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { Budget } from './budget.tsx'
import { UsageLines, UsageTotals } from './documents.ts'
import { StatementList } from './statements.tsx'
import styles from './usage.module.css'
import { type Group, groupsOf, KINDS, type Line, monthOf, rangeOf } from './usage-words.ts'

type Usage = NonNullable<ResultOf<typeof UsageTotals>['usage']>

const MONTHS_BACK = 12

/** What was used in a month, by whom, and what it costs; what it will cost at the end of this one. */
export default function UsageScreen() {
  const { id: accountId, name, slug } = useAccount()
  const [parameters, set] = useParameters()
  const [present] = useState(() => Date.now())
  const thisMonth = monthOf(present)
  const month = /^\d{4}-\d{2}$/.test(parameters.get('month') ?? '') ? (parameters.get('month') ?? '') : thisMonth
  const labelKey = parameters.get('label')
  const range = rangeOf(month)
  const variables = { accountId, from: range.from, to: month === thisMonth ? null : range.to }
  const totals = useData(UsageTotals, { variables: { ...variables, labelKey } })
  const usage = totals.data?.usage
  const [download, setDownload] = useState<{ isRunning: boolean; refusal: Refusal | null }>({
    isRunning: false,
    refusal: null,
  })
  const save = async () => {
    setDownload({ isRunning: true, refusal: null })
    const refusal = await downloadCsv('/account/usage', variables, `${slug}-usage-${month}.csv`)
    setDownload({ isRunning: false, refusal })
  }
  return (
    <Page
      title="Usage"
      within={name}
      actions={
        <Button icon="download" isBusy={download.isRunning} onClick={save}>
          CSV
        </Button>
      }
    >
      {download.refusal && <Refused refusal={download.refusal} />}
      <Filters>
        <SelectFilter
          label="Month (UTC)"
          value={month}
          onChange={(chosen) => set({ month: chosen === thisMonth ? null : chosen })}
          options={monthsBefore(present).map((value) => ({ value, label: value }))}
        />
        <TextFilter
          label="Also by the label"
          value={labelKey ?? ''}
          placeholder="team"
          onChange={(label) => set({ label })}
        />
      </Filters>
      {totals.isLoading && <Skeleton lines={4} />}
      {totals.refusals[0] && <Refused refusal={totals.refusals[0]} onRetry={totals.refetch} />}
      {usage && <Numbers usage={usage} isThisMonth={month === thisMonth} />}
      <Budget accountId={accountId} />
      {usage && <ByKind usage={usage} />}
      {usage?.byLabel && labelKey && <ByLabel usage={usage} labelKey={labelKey} />}
      <Lines key={month} variables={variables} currency={usage?.currency ?? 'EUR'} />
      <StatementList accountId={accountId} />
    </Page>
  )
}

function monthsBefore(present: number): string[] {
  const now = new Date(present)
  return Array.from({ length: MONTHS_BACK }, (_, back) =>
    monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)),
  )
}

function Numbers({ usage, isThisMonth }: { usage: Usage; isThisMonth: boolean }) {
  const { total, forecast, currency, builds } = usage
  return (
    <Section>
      <dl className={styles.numbers}>
        <div>
          <dt>{isThisMonth ? 'Cost so far' : 'Cost'}</dt>
          <dd>{moneyText(total, currency)}</dd>
        </div>
        {isThisMonth && (
          <div>
            <dt>At the end of the month</dt>
            <dd>
              {moneyText(forecast, currency)}
              <small>if the last seven days go on</small>
            </dd>
          </div>
        )}
        <div>
          <dt>Builds</dt>
          <dd>
            {durationText(builds.cpuSeconds * 1_000)}
            <small>
              of processor time; {megabytesText(builds.writtenMb)} written, cache {megabytesText(builds.cacheMb)}
            </small>
          </dd>
        </div>
      </dl>
    </Section>
  )
}

function ByKind({ usage: { totals, currency } }: { usage: Usage }) {
  if (totals.length === 0) return null
  return (
    <Section title="By kind" isFlush>
      <Table
        label="Usage by kind"
        rows={totals}
        keyOf={({ kind }) => `kind-${kind}`}
        columns={[
          { name: 'Kind', kind: 'header', cell: ({ kind }) => KINDS[kind] },
          { name: 'Used', kind: 'number', cell: ({ quantity, unit }) => quantityText(quantity, unit) },
          { name: 'Cost', kind: 'number', cell: ({ amount }) => moneyText(amount, currency) },
        ]}
      />
    </Section>
  )
}

function ByLabel({ usage: { byLabel, currency }, labelKey }: { usage: Usage; labelKey: string }) {
  const rows = byLabel ?? []
  return (
    <Section title={`By the label ${visibleText(labelKey)}`} isFlush>
      <Table
        label={`Usage by the label ${labelKey}`}
        rows={rows}
        keyOf={({ value }) => `label-${value}`}
        columns={[
          {
            name: 'Value',
            kind: 'header',
            cell: ({ value }) =>
              value === null ? <span className="soft">without the label</span> : visibleText(value),
          },
          {
            name: 'Used',
            cell: ({ totals }) =>
              totals.map(({ kind, quantity, unit }) => `${KINDS[kind]}: ${quantityText(quantity, unit)}`).join(', '),
          },
          { name: 'Cost', kind: 'number', cell: ({ total }) => moneyText(total, currency) },
        ]}
      />
    </Section>
  )
}

interface LinesProps {
  variables: { accountId: string; from: string; to: string | null }
  currency: string
}

function Lines({ variables, currency }: LinesProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(UsageLines, { variables: { ...variables, after } })
  const list = data?.usageLines
  const lines = list?.nodes ?? []
  if (isLoading) return <Skeleton lines={6} />
  if (refusals[0]) return <Refused refusal={refusals[0]} onRetry={refetch} />
  if (lines.length === 0)
    return (
      <Section title="By environment">
        <Empty title="Nothing was used in this month">
          <p>Containers count while they run, builds while they build, volumes and backups while they are kept.</p>
        </Empty>
      </Section>
    )
  const more = list && {
    hasMore: list.pageInfo.hasNextPage,
    isLoading: isStale,
    onMore: () => setAfter(list.pageInfo.endCursor ?? null),
  }
  const byCost = (a: Group, b: Group) => Number(b.amount) - Number(a.amount) || b.zCloudSeconds - a.zCloudSeconds
  const environments = groupsOf(lines, ({ appEnvId }) => appEnvId).sort(byCost)
  const days = groupsOf(lines, ({ day }) => day).sort((a, b) => b.key.localeCompare(a.key))
  return (
    <>
      {list?.pageInfo.hasNextPage && <p className="warn">Not all lines are read yet: the sums below are of a part.</p>}
      <Section title="By environment" isFlush>
        <Table
          label="Usage by environment"
          rows={environments}
          keyOf={({ key }) => key}
          columns={[
            { name: 'Environment', kind: 'header', cell: ({ lines: own }) => <EnvironmentName line={own[0]} /> },
            { name: 'Used', cell: ({ lines: own }) => usedText(own) },
            { name: 'Share', cell: (group) => <Bar group={group} all={environments} /> },
            { name: 'Cost', kind: 'number', cell: ({ amount }) => moneyText(amount, currency) },
          ]}
          more={more}
        />
      </Section>
      <Section title="By day" isFlush>
        <Table
          label="Usage by day"
          rows={days}
          keyOf={({ key }) => `day-${key}`}
          columns={[
            { name: 'Day (UTC)', kind: 'header', cell: ({ key }) => key },
            { name: 'Used', cell: ({ lines: own }) => usedText(own) },
            { name: 'Share', cell: (group) => <Bar group={group} all={days} /> },
            { name: 'Cost', kind: 'number', cell: ({ amount }) => moneyText(amount, currency) },
          ]}
        />
      </Section>
    </>
  )
}

function EnvironmentName({ line }: { line: Line | undefined }) {
  if (!line) return null
  if (!line.appEnv) return <>{visibleText(line.envName)}</>
  return <Link href={pathTo('deployments', { env: line.appEnv.cliEnvName })}>{nameOf(line.appEnv)}</Link>
}

function usedText(lines: readonly Line[]): string {
  const kinds = Map.groupBy(lines, ({ kind }) => kind)
  return [...kinds]
    .map(([kind, own]) => {
      const sum = own.reduce((total, { quantity }) => total + Number(quantity), 0)
      return `${KINDS[kind]}: ${quantityText(String(sum), own[0]?.unit ?? 'SECOND')}`
    })
    .join(', ')
}

/** Its part of the largest, by cost; by time where nothing has a price. */
function Bar({ group, all }: { group: Group; all: readonly Group[] }) {
  const hasPrices = all.some(({ amount }) => Number(amount) > 0)
  const sizeOf = (each: Group) => (hasPrices ? Number(each.amount) : each.zCloudSeconds)
  const largest = Math.max(...all.map(sizeOf), 1e-9)
  return (
    <span className={styles.track} aria-hidden="true">
      <span className={styles.bar} style={{ width: `${Math.round((sizeOf(group) / largest) * 100)}%` }} />
    </span>
  )
}
