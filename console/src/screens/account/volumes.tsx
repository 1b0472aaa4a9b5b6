import { useState } from 'react'
import { Link } from 'wouter'
import { megabytesText } from '../../../../text/decimal.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { DeleteVolume, Volumes } from './documents.ts'

type Volume = NonNullable<ResultOf<typeof Volumes>['volumes']>['nodes'][number]

/** Those first that no environment uses: they cost, and only they can be deleted. */
export function VolumeList({ accountId }: { accountId: string }) {
  const [after, setAfter] = useState<string | null>(null)
  const [deleted, setDeleted] = useState<Volume | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(Volumes, {
    variables: { accountId, after },
    readAgainOn: ({ type }) => /^(APP|APP_ENV)_(CREATED|DELETED|UPDATED)$|^VOLUME_/.test(type),
  })
  const missing = useMissing('appEnv:delete')
  const list = data?.volumes
  const volumes = [...(list?.nodes ?? [])].sort((a, b) => Number(a.isAttached) - Number(b.isAttached))
  const left = volumes.filter(({ isAttached }) => !isAttached)
  return (
    <Section title="Volumes" isFlush>
      {isLoading && <Skeleton lines={3} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && volumes.length === 0 && (
        <Empty title="No volume">
          <p>
            Data of environments with persistence appear here, and stay when an environment is deleted without them.
          </p>
        </Empty>
      )}
      {volumes.length > 0 && (
        <Table
          label="Volumes"
          rows={volumes}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Environment',
              kind: 'header',
              cell: ({ appEnv, cliEnvName, isAttached }) =>
                appEnv ? (
                  <Link href={pathTo('deployments', { env: appEnv.cliEnvName })}>{nameOf(appEnv)}</Link>
                ) : (
                  <>
                    {visibleText(cliEnvName)} {!isAttached && <span className="warn">without an owner</span>}
                  </>
                ),
            },
            { name: 'Path', cell: ({ path }) => <code>{visibleText(path)}</code> },
            { name: 'Size', kind: 'number', cell: ({ disk }) => megabytesText(disk) },
            {
              name: 'Data',
              kind: 'number',
              cell: ({ used }) => (used === null ? <span className="soft">not measured</span> : megabytesText(used)),
            },
            { name: 'Region', cell: ({ region }) => region },
            { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (volume) => (
                <Button
                  icon="trash"
                  missing={missing ?? (volume.isAttached ? 'An environment uses it' : null)}
                  onClick={() => setDeleted(volume)}
                >
                  Delete…
                </Button>
              ),
            },
          ]}
          more={
            list && {
              hasMore: list.pageInfo.hasNextPage,
              isLoading: isStale,
              onMore: () => setAfter(list.pageInfo.endCursor ?? null),
            }
          }
        />
      )}
      {left.length > 0 && (
        <p className="visually-hidden">
          {left.length} without an owner, {megabytesText(left.reduce((sum, { disk }) => sum + disk, 0))}
        </p>
      )}
      {deleted && (
        <ConfirmWrite
          title="Delete the volume"
          isOpen
          onClose={() => setDeleted(null)}
          mutation={DeleteVolume}
          input={{ volumeId: deleted.id, expectedVersion: deleted.version }}
          messageOf={({ deleteVolume }) => deleteVolume?.message}
          name={deleted.cliEnvName}
          action="Delete its data"
          onDone={refetch}
        >
          <p>
            {deleted.used === null ? 'Its data' : `${megabytesText(deleted.used)} of data`} of{' '}
            <b>{visibleText(deleted.cliEnvName)}</b> at <code>{visibleText(deleted.path)}</code> are gone for good.
          </p>
        </ConfirmWrite>
      )}
    </Section>
  )
}
