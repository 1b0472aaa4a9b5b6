import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Empty, Section } from './page.tsx'

interface ScheduleFrameProps {
  hasSchedule: boolean
  missing: string | null
  onEnd: () => void
  form: (onClose: () => void) => ReactNode
  /** Of what there is no schedule, and what one does. */
  empty: { title: string; about: string }
  children: ReactNode
}

/** A schedule as it is, its form in the same place, or how to begin without one. */
export function ScheduleFrame({ hasSchedule, missing, onEnd, form, empty, children }: ScheduleFrameProps) {
  const [isEditing, setEditing] = useState(false)
  const edit = (
    <Button icon={hasSchedule ? 'pencil' : 'calendarClock'} missing={missing} onClick={() => setEditing(true)}>
      {hasSchedule ? 'Change it' : 'Set a schedule'}
    </Button>
  )
  const actions = hasSchedule && !isEditing && (
    <>
      {edit}
      <Button kind="danger" missing={missing} onClick={onEnd}>
        End it…
      </Button>
    </>
  )
  return (
    <Section title="Schedule" actions={actions}>
      {isEditing && form(() => setEditing(false))}
      {!isEditing && hasSchedule && children}
      {!isEditing && !hasSchedule && (
        <Empty title={empty.title} actions={edit}>
          <p>{empty.about}</p>
        </Empty>
      )}
    </Section>
  )
}
