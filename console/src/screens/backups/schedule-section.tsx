import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { zonedTime } from '../../../../text/zoned-time.ts'
import { useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextField } from '../../ui/form.tsx'
import { Facts } from '../../ui/page.tsx'
import { ScheduleFrame } from '../../ui/schedule-frame.tsx'
import { chosenTimeZone, formatTime, Time } from '../../ui/time.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { say } from '../../ui/toast.tsx'
import { storageText } from './backup-text.ts'
import { type Backups, ChangeBackupSchedule } from './documents.ts'
import { type Storage, StorageField } from './storage-field.tsx'

type AppEnv = NonNullable<ResultOf<typeof Backups>['appEnv']>

interface ScheduleProps {
  appEnvId: string
  version: number
  schedule: AppEnv['backupSchedule']
  nextBackupAt: string | null
  storages: readonly Storage[]
}

/** When backups are taken by themselves, where they go, and how long they stay. */
export function ScheduleSection(props: ScheduleProps) {
  const { appEnvId, version, schedule, nextBackupAt, storages } = props
  const [isEnding, setEnding] = useState(false)
  const missing = useMissing('appEnv:change')
  const end = useWrite(ChangeBackupSchedule)
  return (
    <>
      <ScheduleFrame
        hasSchedule={schedule !== null}
        missing={missing}
        onEnd={() => setEnding(true)}
        form={(onClose) => <ScheduleForm {...props} onClose={onClose} />}
        empty={{
          title: 'No backup is taken by itself',
          about: 'A schedule takes them, verifies the newest one, and deletes those that are too old.',
        }}
      >
        {schedule && (
          <Facts
            of={[
              [
                'Next',
                nextBackupAt && (
                  <span key="next">
                    {formatTime(nextBackupAt, 'exact')} (<Time at={nextBackupAt} />)
                    <Elsewhere at={nextBackupAt} timeZone={schedule.timeZone} />
                  </span>
                ),
              ],
              [
                'Times',
                <span key="times">
                  <code>{schedule.cron}</code> in {visibleText(schedule.timeZone)}
                </span>,
              ],
              ['Kept', `the newest ${schedule.keepCount}, for ${schedule.keepDays} days`],
              ['Stored in', visibleText(storageText(schedule.storage, storages))],
              ['Any moment between', schedule.pointInTime ? 'yes: the log of changes is stored too' : 'no'],
            ]}
          />
        )}
      </ScheduleFrame>
      <Confirm
        title="End the schedule"
        isOpen={isEnding}
        onClose={() => {
          setEnding(false)
          end.reset()
        }}
        action="End it"
        isSending={end.isSending}
        refusal={end.refusal}
        onConfirm={async () => {
          const answer = await end.send({ appEnvId, expectedVersion: version, backupSchedule: null })
          if (!answer?.updateAppEnv) return
          setEnding(false)
          say('No backups are taken by themselves any more')
        }}
      >
        <p>Nothing is backed up by itself any more. The backups that there are stay.</p>
        {schedule?.pointInTime && <p>Moments from now on cannot be restored: their changes are not stored.</p>}
      </Confirm>
    </>
  )
}

/** The same time in the zone of the schedule, where that is another one. */
function Elsewhere({ at, timeZone }: { at: string; timeZone: string }) {
  const there = zonedTime(at, timeZone)
  if (there === zonedTime(at, chosenTimeZone())) return null
  return (
    <>
      <br />
      <span className="soft">{there}</span>
    </>
  )
}

function ScheduleForm({ appEnvId, version, schedule, storages, onClose }: ScheduleProps & { onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(ChangeBackupSchedule)
  return (
    <Form
      draftKey={`backupSchedule.${appEnvId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const value = (name: string) => fields[`backupSchedule.${name}`] ?? ''
        const answer = await send({
          appEnvId,
          expectedVersion: version,
          backupSchedule: {
            cron: value('cron'),
            timeZone: value('timeZone'),
            keepCount: Number(value('keepCount')),
            keepDays: Number(value('keepDays')),
            storage: value('storage'),
            pointInTime: value('pointInTime') === 'true',
          },
        })
        if (!answer?.updateAppEnv) return false
        const next = answer.updateAppEnv.appEnv?.nextBackupAt
        say(next ? `Saved. The next backup is on ${formatTime(next)}` : 'Saved')
        onClose()
        return true
      }}
    >
      <TextField
        name="backupSchedule.cron"
        label="Times"
        required
        autoFocus
        className="mono"
        defaultValue={schedule?.cron ?? '0 3 * * *'}
        help="A cron expression: minute, hour, day of the month, month, weekday. 0 3 * * * is daily at 03:00. At most once an hour."
      />
      <TimeZoneField name="backupSchedule.timeZone" defaultValue={schedule?.timeZone ?? 'UTC'} />
      <TextField
        name="backupSchedule.keepCount"
        label="Number that is kept"
        inputMode="numeric"
        required
        defaultValue={schedule?.keepCount ?? 7}
        help="Of scheduled ones. Those by hand stay until you delete them."
      />
      <TextField
        name="backupSchedule.keepDays"
        label="Days that each is kept"
        inputMode="numeric"
        required
        defaultValue={schedule?.keepDays ?? 30}
        help="The newest verified one stays in any case."
      />
      <StorageField name="backupSchedule.storage" defaultValue={schedule?.storage ?? 'LOCAL'} storages={storages} />
      <CheckField
        name="backupSchedule.pointInTime"
        label="Restore to any moment between backups"
        defaultChecked={schedule?.pointInTime ?? false}
        help="Stores the log of changes too. Not every engine can."
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Save
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}
