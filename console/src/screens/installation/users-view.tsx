import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Filters, SelectFilter, TextFilter } from '../../ui/filters.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { Users } from './documents.ts'

/** Everybody who can sign in. */
export function UsersView() {
  const [parameters, set] = useParameters()
  const search = parameters.get('search') || null
  const isAdmin = parameters.get('admins') === 'yes' ? true : null
  return (
    <>
      <Filters>
        <TextFilter label="Name or e-mail" value={search ?? ''} onChange={(value) => set({ search: value })} />
        <SelectFilter
          label="Who"
          value={isAdmin ? 'yes' : ''}
          onChange={(admins) => set({ admins })}
          options={[
            { value: '', label: 'Everybody' },
            { value: 'yes', label: 'Admins of the installation' },
          ]}
        />
      </Filters>
      <List key={`${search} ${isAdmin}`} search={search} isInstallationAdmin={isAdmin} />
      <p className="soft">
        A user cannot sign in any more? <a href="/account-security">How you sign in</a> makes a link to hand over, with
        which they set a new password. New users come by invitations to accounts.
      </p>
    </>
  )
}

function List({ search, isInstallationAdmin }: { search: string | null; isInstallationAdmin: boolean | null }) {
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Users, {
    variables: { search, isInstallationAdmin, after },
  })
  const list = data?.users
  if (isLoading) return <Skeleton lines={6} />
  return (
    <Section title={list ? `Users: ${list.totalCount}` : 'Users'} isFlush>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && <Empty title="No user matches the filter" />}
      {list && list.nodes.length > 0 && (
        <Table
          label="Users"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            { name: 'User', kind: 'header', cell: ({ username }) => visibleText(username) },
            { name: 'E-mail', cell: ({ email }) => visibleText(email) },
            {
              name: 'Role',
              cell: ({ isInstallationAdmin: isAdmin }) => (isAdmin ? 'Admin of the installation' : null),
            },
            { name: 'Accounts', kind: 'number', cell: ({ accountCount }) => accountCount },
            {
              name: 'Signed in',
              cell: ({ lastSignInAt }) => (lastSignInAt ? <Time at={lastSignInAt} /> : 'Not lately'),
            },
            { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
            { name: 'Joined', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: ({ id, username }) => (
                <Link href={`${pathTo('tokens')}?user=${id}`} aria-label={`Tokens of ${visibleText(username)}`}>
                  Tokens
                </Link>
              ),
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
    </Section>
  )
}
