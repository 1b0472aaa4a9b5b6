import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { durationText } from '../../../../text/duration.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { fieldOfMoment, momentOfField } from '../../../../text/zoned-time.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useDryRun } from '../../graphql/use-dry-run.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Refused } from '../../ui/refused.tsx'
import { formatTime, useNow } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { type Backup, backupText, joined, type Window, windowAt, windowsOf } from './backup-text.ts'
import styles from './backups.module.css'
import { Restorable, RestoreBackup } from './documents.ts'

/** A restore before it happens: to a backup or to a moment, with what is lost by it. The choice is in the address. */
export default function RestoreScreen() {
  return <EnvironmentPage title="Backups">{(environment) => <Restore environment={environment} />}</EnvironmentPage>
}

type OfAccount = Backup & { cliEnvName: string }

function Restore({ environment }: { environment: Head }) {
  const { id, cliEnvName: env, account } = environment
  const { data, refusals, isLoading, refetch } = useData(Restorable, {
    variables: { env, accountId: account.id },
    readAgainOn: ({ type }) => type.startsWith('OPERATION_'),
  })
  if (isLoading) return <Skeleton lines={10} />
  const own = data?.own?.nodes ?? []
  const all = data?.all?.nodes ?? []
  if (!data || (refusals[0] && own.length === 0))
    return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : null
  if (own.length === 0 && all.length === 0)
    return (
      <Section title="Restore">
        <Empty
          title="There is nothing to restore yet"
          actions={<LinkButton href={pathTo('backups', { env })}>To the backups</LinkButton>}
        >
          <p>A backup has to be taken first, by hand or by a schedule.</p>
        </Empty>
      </Section>
    )
  const users = data.appEnv?.referencedBy ?? null
  return <Choice key={id} environment={environment} own={own} all={all} users={users} onMoment={refetch} />
}

interface Users {
  otherCount: number
  appEnvs: { appEnvId: string; envName: string }[]
}

interface ChoiceProps {
  environment: Head
  own: readonly Backup[]
  all: readonly OfAccount[]
  users: Users | null
  /** A moment was chosen: how far the log of changes reaches may be more than is known here. */
  onMoment: () => void
}

function Choice({ environment, own, all, users, onMoment }: ChoiceProps) {
  const { cliEnvName: env } = environment
  const { zone } = usePreferences()
  const [parameters, setParameters] = useSearchParams()
  const windows = windowsOf(own)
  const at = parameters.get('at')
  const set = (name: 'backup' | 'at', value: string) => setParameters({ [name]: value }, { replace: true })
  const moment = at === null ? null : momentOf(at)
  const others = all.filter(({ cliEnvName }) => cliEnvName !== env)
  const backup =
    at === null
      ? ([...own, ...others].find((each) => each.id === parameters.get('backup')) ?? own[0] ?? others[0] ?? null)
      : moment === null
        ? null
        : (windowAt(windows, moment)?.backup ?? null)
  return (
    <>
      <Section title="What to restore">
        <div className="stack">
          <fieldset className={styles.choice}>
            <legend className="visually-hidden">What to restore</legend>
            <label className={styles.radio}>
              <input
                type="radio"
                name="what"
                checked={at === null}
                onChange={() => set('backup', backup?.id ?? own[0]?.id ?? '')}
              />
              A backup
            </label>
            <label className={styles.radio}>
              <input
                type="radio"
                name="what"
                checked={at !== null}
                disabled={windows.length === 0}
                onChange={() => set('at', new Date(windows[0]?.to ?? Date.now()).toISOString())}
              />
              A moment, such as just before a mistake
              {windows.length === 0 && <span className="soft">needs a schedule with point in time</span>}
            </label>
          </fieldset>
          {at === null ? (
            <BackupChoice own={own} others={others} chosen={backup?.id ?? ''} onChoose={(id) => set('backup', id)} />
          ) : (
            <MomentChoice
              windows={windows}
              moment={moment}
              zone={zone}
              onChoose={(chosen) => {
                set('at', chosen ? chosen.toISOString() : '')
                onMoment()
              }}
            />
          )}
        </div>
      </Section>
      <Outcome environment={environment} backup={backup} moment={moment} isOwn={isOwn(own, backup)} users={users} />
    </>
  )
}

const isOwn = (own: readonly Backup[], backup: Backup | null) => own.some(({ id }) => id === backup?.id)

const momentOf = (text: string): number | null => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

interface BackupChoiceProps {
  own: readonly Backup[]
  others: readonly OfAccount[]
  chosen: string
  onChoose: (id: string) => void
}

function BackupChoice({ own, others, chosen, onChoose }: BackupChoiceProps) {
  const environments = [...new Set(others.map(({ cliEnvName }) => cliEnvName))]
  return (
    <label className="stack tight">
      <span>Backup</span>
      <select className="control" value={chosen} onChange={(event) => onChoose(event.target.value)}>
        <optgroup label="Of this environment">
          {own.map((backup) => (
            <option key={backup.id} value={backup.id}>
              {backupText(backup)}
            </option>
          ))}
        </optgroup>
        {environments.map((name) => (
          <optgroup key={name} label={`Of ${visibleText(name)}`}>
            {others
              .filter(({ cliEnvName }) => cliEnvName === name)
              .map((backup) => (
                <option key={backup.id} value={backup.id}>
                  {backupText(backup)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

const MINUTE_MS = 60_000
const AGES = [5, 15, 60, 24 * 60]

interface MomentChoiceProps {
  windows: readonly Window[]
  moment: number | null
  zone: 'local' | 'utc'
  onChoose: (moment: Date | null) => void
}

function MomentChoice({ windows, moment, zone, onChoose }: MomentChoiceProps) {
  const now = useNow()
  const spans = joined(windows)
  return (
    <div className="stack tight">
      <label className="stack tight">
        <span>Moment, in {zone === 'utc' ? 'UTC' : 'the zone of this machine'}</span>
        <input
          type="datetime-local"
          step={1}
          className="control"
          style={{ justifySelf: 'start' }}
          defaultValue={moment === null ? '' : fieldOfMoment(new Date(moment), zone)}
          key={`${zone} ${moment}`}
          onBlur={(event) => onChoose(momentOfField(event.target.value, zone))}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onChoose(momentOfField(event.currentTarget.value, zone))
          }}
        />
      </label>
      <div className="row">
        <span className="soft">Before now:</span>
        {AGES.map((minutes) => {
          const then = now - minutes * MINUTE_MS
          return (
            <Button
              key={minutes}
              missing={windowAt(windows, then) ? null : 'Not within what can be restored'}
              onClick={() => onChoose(new Date(then))}
            >
              {durationText(minutes * MINUTE_MS)}
            </Button>
          )
        })}
      </div>
      <p className="soft">
        Possible{' '}
        {spans.map(({ from, to }) => `from ${formatTime(from, 'exact')} to ${formatTime(to, 'exact')}`).join(', and ')}.
      </p>
    </div>
  )
}

interface OutcomeProps {
  environment: Head
  /** The one that is restored; null where none reaches the moment. */
  backup: Backup | null
  moment: number | null
  isOwn: boolean
  users: Users | null
}

/** What is lost, what stays, and what the API says of it; then the button. */
function Outcome({ environment, backup, moment, isOwn, users }: OutcomeProps) {
  const { id: appEnvId, cliEnvName: env } = environment
  const [, navigate] = useLocation()
  const [backupFirst, setBackupFirst] = useState(true)
  const [isConfirming, setConfirming] = useState(false)
  const missing = useMissing('backup:restore')
  const input = backup && {
    appEnvId,
    backupKey: backup.id,
    backupFirst,
    ...(moment === null ? {} : { pointInTime: new Date(moment).toISOString() }),
  }
  const dryRun = useDryRun(RestoreBackup, missing === null ? input : null)
  const restore = useWrite(RestoreBackup)
  if (!backup)
    return (
      <Section title="What is lost">
        <p className="bad">No backup reaches this moment. Choose one of those that are possible.</p>
      </Section>
    )
  const target = moment ?? Date.parse(backup.pointInTimeFrom ?? backup.date)
  const targetText = formatTime(target, 'exact')
  const isKnown = dryRun.answer !== null
  return (
    <Section title="What is lost">
      <div className="stack">
        <div className={styles.lost}>
          <Lost target={target} isOwn={isOwn} environment={environment} />
          <ul>
            <li>
              {backupFirst
                ? 'Before that, Berth backs up the present data, so that you can come back to it. Then its volume is deleted.'
                : 'No backup is taken before. The present volume is kept, without an environment, and still counts as usage.'}
            </li>
            <li>It does not answer while it is restored, and connections to it end.</li>
            {users && <li>{usersText(users)}</li>}
            <li>User and password stay as they are. If the restore fails, the present data serves again.</li>
            {!backup.verified && (
              <li>This backup was never restored and read for a test: verify it first, if there is time.</li>
            )}
          </ul>
        </div>
        <label className={styles.radio}>
          <input type="checkbox" checked={backupFirst} onChange={(event) => setBackupFirst(event.target.checked)} />
          Back up the present data first
        </label>
        {dryRun.isAsking && <p className="soft">Asking Berth whether this works…</p>}
        {isKnown && <p className="good">Berth has checked it: it can be done.</p>}
        {dryRun.refusal && <Refused refusal={dryRun.refusal} />}
        <div className="row">
          <Button
            kind="danger"
            icon="history"
            missing={missing ?? dryRun.refusal?.message ?? (isKnown ? null : 'What it does is not known yet')}
            onClick={() => setConfirming(true)}
          >
            Restore to {formatTime(target)}…
          </Button>
          <LinkButton href={pathTo('backups', { env })}>Leave it</LinkButton>
        </div>
      </div>
      <Confirm
        title={`Restore ${nameOf(environment)}`}
        isOpen={isConfirming}
        onClose={() => {
          setConfirming(false)
          restore.reset()
        }}
        action="Restore it"
        isReady={isKnown}
        isSending={restore.isSending}
        refusal={restore.refusal}
        onConfirm={async () => {
          if (!input) return
          const answer = await restore.send(input)
          if (!answer?.restoreBackup) return
          say(answer.restoreBackup.message)
          navigate(pathTo('deployments', { env }))
        }}
      >
        <p>
          Its data becomes that of <b>{targetText}</b>. <Lost target={target} isOwn={isOwn} environment={environment} />
        </p>
      </Confirm>
    </Section>
  )
}

interface LostProps {
  target: number
  isOwn: boolean
  environment: Head
}

/** The sentence that has to be read. */
function Lost({ target, isOwn, environment }: LostProps) {
  const now = Math.max(useNow(), Date.now())
  if (!isOwn)
    return (
      <b>
        All that {nameOf(environment)} holds is lost: it is replaced by the data of another environment, as of{' '}
        {formatTime(target, 'exact')}.
      </b>
    )
  return (
    <b>
      All that was written after {formatTime(target, 'exact')} is lost: the changes of{' '}
      {durationText(Math.max(0, now - target))}.
    </b>
  )
}

function usersText({ appEnvs, otherCount }: Users): string {
  const names = appEnvs.map(({ envName }) => envName)
  const rest = otherCount > 0 ? [`${otherCount} more that you may not see`] : []
  const all = [...names, ...rest]
  return all.length === 0
    ? 'No environment of the account refers to it.'
    : `These use it, and are disturbed: ${all.map(visibleText).join(', ')}.`
}
