import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { outcomeOf, Status, wordsOf } from '../../ui/status.tsx'
import { BackUpDialog } from './back-up-dialog.tsx'
import { BackupList } from './backup-list.tsx'
import styles from './backups.module.css'
import { Backups, ObjectStorages } from './documents.ts'
import { ScheduleSection } from './schedule-section.tsx'
import { TimeLine } from './time-line.tsx'

/** What was backed up, what can be restored, and what will be backed up next. */
export default function BackupsScreen() {
  const [isBackingUp, setBackingUp] = useState(false)
  const missing = useMissing('backup:create')
  useKeys([{ keys: 'b', about: 'Back up now', run: () => missing === null && setBackingUp(true) }])
  return (
    <EnvironmentPage
      title="Backups"
      actions={({ cliEnvName: env }) => (
        <>
          <LinkButton icon="history" href={pathTo('restore', { env })}>
            Restore…
          </LinkButton>
          <Button kind="primary" icon="database" missing={missing} onClick={() => setBackingUp(true)}>
            Back up now
          </Button>
        </>
      )}
    >
      {(environment) => <Content environment={environment} isBackingUp={isBackingUp} onBackUp={setBackingUp} />}
    </EnvironmentPage>
  )
}

interface ContentProps {
  environment: Head
  isBackingUp: boolean
  onBackUp: (isBackingUp: boolean) => void
}

function Content({ environment, isBackingUp, onBackUp }: ContentProps) {
  const { id, cliEnvName: env, account } = environment
  const missing = useMissing('backup:create')
  const [after, setAfter] = useState<string | null>(null)
  const { data, refusals, isLoading, refetch } = useData(Backups, {
    variables: { env, after },
    readAgainOn: ({ appEnvId, type }) =>
      appEnvId === id && (type.startsWith('OPERATION_') || type === 'APP_ENV_UPDATED'),
  })
  const stored = useData(ObjectStorages, { variables: { accountId: account.id } })
  const storages = stored.data?.credentials?.nodes ?? []
  if (isLoading) return <Skeleton lines={10} />
  const list = data?.backups
  const appEnv = data?.appEnv
  const [last] = appEnv?.operations.nodes ?? []
  const isOpen = last?.status === 'QUEUED' || last?.status === 'RUNNING'
  const isOfBackups = last ? /BACKUP|RESTORE/.test(last.kind) : false
  const step = last?.steps.at(-1)
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {last && (isOpen || (isOfBackups && last.status === 'FAILED')) && (
        <Section title={isOpen ? 'Happens now' : 'What failed last'}>
          <p className="row">
            <b>{wordsOf(last.kind)}</b>
            <Status {...outcomeOf(last.status)} />
            {isOpen && step && <span className="soft">{[step.name, step.detail].filter(Boolean).join(': ')}</span>}
            <Link href={pathTo('deployments', { env })}>Its steps</Link>
          </p>
          {!isOpen && last.message && <p className={styles.cause}>{visibleText(last.message)}</p>}
        </Section>
      )}
      {list && list.nodes.length > 0 && (
        <Section title="What can be restored">
          <TimeLine env={env} backups={list.nodes} />
        </Section>
      )}
      <Section title={list && list.totalCount > 0 ? `Backups: ${list.totalCount}` : 'Backups'} isFlush>
        {list?.nodes.length === 0 && (
          <Empty
            title="Nothing was backed up yet"
            actions={
              <Button kind="primary" icon="database" missing={missing} onClick={() => onBackUp(true)}>
                Back up now
              </Button>
            }
          >
            <p>
              A backup is all that the service holds, compressed and encrypted. It can be restored here or elsewhere.
            </p>
            <p>
              <code>berth db backup -e {env}</code>
            </p>
          </Empty>
        )}
        {list && list.nodes.length > 0 && (
          <BackupList env={env} appEnvId={id} backups={list.nodes} storages={storages} onDeleted={refetch} />
        )}
        {list?.pageInfo.hasNextPage && (
          <div className={styles.more}>
            <Button onClick={() => setAfter(list.pageInfo.endCursor ?? null)}>
              {list.nodes.length} of {list.totalCount}: load more
            </Button>
          </div>
        )}
      </Section>
      {appEnv && (
        <ScheduleSection
          appEnvId={id}
          version={appEnv.version}
          schedule={appEnv.backupSchedule}
          nextBackupAt={appEnv.nextBackupAt}
          storages={storages}
        />
      )}
      <BackUpDialog
        environment={environment}
        storage={appEnv?.backupSchedule?.storage ?? 'LOCAL'}
        storages={storages}
        isOpen={isBackingUp}
        onClose={() => onBackUp(false)}
      />
    </>
  )
}
