import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { zonedTime } from '../../../../text/zoned-time.ts'
import { useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextField } from '../../ui/form.tsx'
import { ScheduleFrame } from '../../ui/schedule-frame.tsx'
import { Status } from '../../ui/status.tsx'
import { chosenTimeZone, formatTime, Time } from '../../ui/time.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { say } from '../../ui/toast.tsx'
import { DeleteJobSchedule, type JobScheduleState, SetJobSchedule } from './documents.ts'
import styles from './runs.module.css'

type Schedule = ResultOf<typeof JobScheduleState>

interface ScheduleProps {
  env: string
  appEnvId: string
  schedule: Schedule | null
  onChanged: () => void
}

/** When runs begin by themselves: the next times, in the zone of the schedule and in that of the person. */
export function ScheduleSection(props: ScheduleProps) {
  const { appEnvId, schedule, onChanged } = props
  const [isEnding, setEnding] = useState(false)
  const missing = useMissing('jobSchedule:change')
  const end = useWrite(DeleteJobSchedule)
  return (
    <>
      <ScheduleFrame
        hasSchedule={schedule !== null}
        missing={missing}
        onEnd={() => setEnding(true)}
        form={(onClose) => <ScheduleForm {...props} onClose={onClose} />}
        empty={{ title: 'No run begins by itself', about: 'A schedule begins runs at the times of a cron expression.' }}
      >
        {schedule && (
          <div className="stack tight">
            <p className="row">
              <code>{schedule.cron}</code>
              <span>in {visibleText(schedule.timeZone)}</span>
              {!schedule.enabled && <Status icon="pause" word="Paused" tone="warn" />}
              {!schedule.catchUp && <span className="soft">times that were missed are left out</span>}
            </p>
            <NextRuns schedule={schedule} />
          </div>
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
          const answer = await end.send({ appEnvId, ...(schedule ? { revision: schedule.revision } : {}) })
          if (!answer?.deleteJobSchedule) return
          setEnding(false)
          say(answer.deleteJobSchedule.message)
          onChanged()
        }}
      >
        <p>No run begins by itself any more. What runs or waits goes on, and what ran stays listed.</p>
      </Confirm>
    </>
  )
}

function NextRuns({ schedule: { nextRuns, timeZone } }: { schedule: Schedule }) {
  if (nextRuns.length === 0) return null
  return (
    <table className={styles.times}>
      <caption className="visually-hidden">The next times</caption>
      <thead>
        <tr>
          <th scope="col">Next</th>
          <th scope="col">In {visibleText(timeZone)}</th>
          <th scope="col">For you</th>
        </tr>
      </thead>
      <tbody>
        {nextRuns.map((at) => (
          <tr key={at}>
            <th scope="row">
              <Time at={at} />
            </th>
            <td>{zonedTime(at, timeZone)}</td>
            <td className="soft">{formatTime(at, 'exact')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ScheduleForm({ appEnvId, schedule, onChanged, onClose }: ScheduleProps & { onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(SetJobSchedule)
  return (
    <Form
      draftKey={`jobSchedule.${appEnvId}`}
      refusal={refusal}
      onSend={async ({ cron = '', timeZone = '', enabled, catchUp }) => {
        const answer = await send({
          appEnvId,
          cron,
          timeZone,
          enabled: enabled === 'true',
          catchUp: catchUp === 'true',
          revision: schedule?.revision ?? 0,
        })
        const next = answer?.setJobSchedule?.jobSchedule?.nextRuns[0]
        if (!answer?.setJobSchedule) return false
        say(next ? `Saved. The next run begins on ${formatTime(next)}` : 'Saved')
        onChanged()
        onClose()
        return true
      }}
    >
      <TextField
        name="cron"
        label="Times"
        required
        autoFocus
        className="mono"
        defaultValue={schedule?.cron ?? '0 3 * * *'}
        help="A cron expression: minute, hour, day of the month, month, weekday. */15 * * * * is every quarter of an hour, 0 3 * * 1-5 at 03:00 on weekdays."
      />
      <TimeZoneField name="timeZone" defaultValue={schedule?.timeZone ?? chosenTimeZone()} />
      <CheckField
        name="enabled"
        label="Begins runs"
        defaultChecked={schedule?.enabled ?? true}
        help="Off: paused, and kept."
      />
      <CheckField
        name="catchUp"
        label="One run makes up for times that Berth has missed"
        defaultChecked={schedule?.catchUp ?? true}
        help="After Berth was down, or the environment was stopped."
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
