import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { MemberNames } from '../../account/member-documents.ts'
import { useAccount, useMissing, useSession } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Changes } from '../../ui/changes.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { downloadCsv } from '../../ui/download.ts'
import { Filters, SelectFilter, TextFilter, TimeFilter } from '../../ui/filters.tsx'
import { Empty, Facts, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { useRowKeys } from '../../ui/row-keys.ts'
import { LoadMore } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import styles from './activity.module.css'
import { AuditLog } from './documents.ts'

type Entry = NonNullable<ResultOf<typeof AuditLog>['auditLog']>['nodes'][number]

const FILTERS = ['actor', 'target', 'action', 'from', 'to'] as const

/** The audit log, by what the address says. */
export function AuditView() {
  const { id: accountId, slug } = useAccount()
  const [parameters, set] = useParameters()
  const given = (name: (typeof FILTERS)[number]) => parameters.get(name) ?? ''
  const filter = {
    actorId: given('actor') || null,
    targetId: given('target') || null,
    action: given('action') || null,
    from: given('from') || null,
    to: given('to') || null,
  }
  const isFiltered = FILTERS.some((name) => given(name) !== '')
  const people = usePeople(accountId)
  const missing = useMissing('audit:read')
  const [download, setDownload] = useState<{ isRunning: boolean; refusal: Refusal | null }>({
    isRunning: false,
    refusal: null,
  })
  const save = async () => {
    setDownload({ isRunning: true, refusal: null })
    const refusal = await downloadCsv('/account/audit', { accountId, limit: '1000', ...filter }, `${slug}-activity.csv`)
    setDownload({ isRunning: false, refusal })
  }
  return (
    <>
      <Filters isFoldable>
        <SelectFilter
          label="Person"
          value={given('actor')}
          onChange={(actor) => set({ actor })}
          options={[
            { value: '', label: 'Anybody' },
            ...people.options,
            ...(given('actor') && !people.options.some(({ value }) => value === given('actor'))
              ? [{ value: given('actor'), label: given('actor') }]
              : []),
          ]}
        />
        <TextFilter
          label="Id of a thing"
          placeholder="env_…, app_…, cred_…"
          value={given('target')}
          onChange={(target) => set({ target })}
        />
        <TextFilter
          label="Action"
          placeholder="updateApp"
          value={given('action')}
          onChange={(action) => set({ action })}
        />
        <TimeFilter label="From" value={given('from')} onChange={(from) => set({ from })} />
        <TimeFilter label="To" value={given('to')} onChange={(to) => set({ to })} />
        <div className="row">
          {isFiltered && (
            <Button icon="x" onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, null])))}>
              No filter
            </Button>
          )}
          <Button icon="download" missing={missing} isBusy={download.isRunning} onClick={save}>
            CSV
          </Button>
        </div>
      </Filters>
      {download.refusal && <Refused refusal={download.refusal} />}
      <Entries
        key={JSON.stringify(filter)}
        accountId={accountId}
        filter={filter}
        nameOf={people.nameOf}
        isFiltered={isFiltered}
        onOnly={(changes) => set(changes)}
      />
    </>
  )
}

/** Names of members, by their id; those who left are shown by their id. */
function usePeople(accountId: string) {
  const { me } = useSession()
  const { data } = useData(MemberNames, { variables: { accountId } })
  const names = new Map(
    (data?.members?.nodes ?? []).map(({ userId, email, user }) => [userId, user?.username ?? email] as const),
  )
  names.set(me.id, me.username)
  return {
    nameOf: (id: string) => names.get(id) ?? id,
    options: [...names].map(([value, label]) => ({ value, label: visibleText(label) })),
  }
}

interface EntriesProps {
  accountId: string
  filter: Readonly<Record<'actorId' | 'targetId' | 'action' | 'from' | 'to', string | null>>
  nameOf: (id: string) => string
  isFiltered: boolean
  onOnly: (changes: Readonly<Record<string, string>>) => void
}

function Entries({ accountId, filter, nameOf, isFiltered, onOnly }: EntriesProps) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(AuditLog, {
    variables: { accountId, after, ...filter },
    readAgainOn: ({ type }) => type !== 'OPERATION_PROGRESSED' && after === null,
  })
  const log = data?.auditLog
  const rows = useRowKeys<HTMLOListElement>('change')
  if (isLoading) return <Skeleton lines={10} />
  return (
    <Section title="Changes, newest first" isFlush>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {log && log.nodes.length === 0 && (
        <Empty title={isFiltered ? 'No change matches the filter' : 'Nothing was changed yet'}>
          <p>Every write is listed here, by people and by Berth: who, from where, and each field before and after.</p>
        </Empty>
      )}
      <ol ref={rows} className={styles.entries}>
        {log?.nodes.map((entry) => (
          <EntryRow key={entry.id} entry={entry} nameOf={nameOf} onOnly={onOnly} />
        ))}
      </ol>
      {log && (
        <LoadMore
          hasMore={log.pageInfo.hasNextPage}
          isLoading={isStale}
          onMore={() => setAfter(log.pageInfo.endCursor ?? null)}
        />
      )}
    </Section>
  )
}

interface EntryProps {
  entry: Entry
  nameOf: (id: string) => string
  onOnly: (changes: Readonly<Record<string, string>>) => void
}

function EntryRow({ entry, nameOf, onOnly }: EntryProps) {
  const { action, actorType, actorId, targetId, createdAt, token, changes, changesLeftOut } = entry
  const account = useAccount()
  const name = targetId === account.id ? account.name : nameOfTarget(entry)
  const count = changes.length + changesLeftOut
  return (
    <li className={styles.entry} id={entry.id}>
      <div className={styles.what}>
        <b>{actorText(actorType, actorId, nameOf)}</b>
        <span>
          {wordsOfAction(action)} {name ? <Target entry={entry} name={name} /> : <code>{targetId}</code>}
        </span>
        {token && <span className="soft">with the token {visibleText(token.name)}</span>}
      </div>
      <span className={styles.when}>
        <Time at={createdAt} />
      </span>
      <details className={styles.more}>
        <summary>{count === 0 ? 'Details' : count === 1 ? '1 field changed' : `${count} fields changed`}</summary>
        <Detail entry={entry} onOnly={onOnly} />
      </details>
    </li>
  )
}

function actorText(type: Entry['actorType'], id: string | null, nameOf: (id: string) => string): string {
  if (type === 'SYSTEM') return 'Berth'
  // Until it is accepted, an invitation acts for a person who has no name here yet.
  if (id?.startsWith('inv_')) return 'The invited person'
  return visibleText(id ? nameOf(id) : 'A token')
}

function Target({ entry: { targetType, targetId, changes }, name }: { entry: Entry; name: string }) {
  const env = changes.find(({ id }) => id === targetId)?.appEnv?.cliEnvName
  if (targetType === 'appEnv' && env) return <Link href={pathTo('deployments', { env })}>{visibleText(name)}</Link>
  if (targetType === 'app') return <Link href={pathTo('app', { appId: targetId })}>{visibleText(name)}</Link>
  return <b>{visibleText(name)}</b>
}

function nameOfTarget({ changes, details, targetId }: Entry): string | null {
  const changed = changes.find(({ id, name }) => id === targetId && name)?.name
  const given = (details as { name?: unknown } | null)?.name
  return changed ?? (typeof given === 'string' ? given : null)
}

function Detail({ entry, onOnly }: Pick<EntryProps, 'entry' | 'onOnly'>) {
  const { changes, changesLeftOut, address, requestId, targetType, targetId, details, sequence } = entry
  const things = new Map<string, { title: string; changes: Entry['changes'] }>()
  for (const change of changes) {
    const key = `${change.type} ${change.id}`
    const title = `${wordsOfAction(change.type)} ${change.name ?? change.id}`
    const thing = things.get(key) ?? { title, changes: [] }
    things.set(key, { title, changes: [...thing.changes, change] })
  }
  return (
    <div className={styles.detail}>
      {[...things].map(([key, thing]) => (
        <div key={key}>
          <h3>{visibleText(thing.title)}</h3>
          <Changes
            changes={thing.changes.map(({ field, before, after }) => ({ field, from: before, to: after }))}
            from="Before"
            to="After"
          />
        </div>
      ))}
      {changesLeftOut > 0 && <p className="soft">{changesLeftOut} more changes are not listed.</p>}
      <Facts
        of={[
          ['From the address', address && <code key="address">{address}</code>],
          [wordsOfAction(targetType), <Copyable key="target" text={targetId} label="Copy the id" />],
          ['Request', <Copyable key="request" text={requestId} label="Copy the request id" />],
          ['Number in the log', sequence],
        ]}
      />
      <p>
        <Button icon="funnel" onClick={() => onOnly({ target: targetId })}>
          Only changes of this {wordsOfAction(targetType).toLowerCase()}
        </Button>
      </p>
      <details>
        <summary>What was sent, without secrets</summary>
        <pre>{visibleText(JSON.stringify(details, null, 2))}</pre>
      </details>
    </div>
  )
}

/** `createAppEnv` as "Create app env". */
function wordsOfAction(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
