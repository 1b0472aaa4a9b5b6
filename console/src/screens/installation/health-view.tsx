import { useCallback, useEffect, useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { NO_ANSWER } from '../../graphql/refusal.ts'
import { Button } from '../../ui/button.tsx'
import { Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Shown, Status, wordsOf } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import styles from './installation.module.css'

/** As `/readyz` answers: it says of each part what is wrong, and what to do about it. */
interface Readiness {
  ready: boolean
  parts: Readonly<Record<string, Part>>
}

interface Part {
  ready: boolean
  state: string
  reason: string | null
  nextStep: string | null
  isRequired: boolean
  details?: readonly Task[]
}

/** Of the part `tasks`. */
interface Task {
  name?: string
  engine?: string | null
  lastEndedAt?: string | null
  failures?: number
  error?: string | null
}

type Known = { readiness: Readiness; at: string } | 'failed' | null

/** Reads it now, when asked to, and when the tab comes back. */
function useReadiness(): { known: Known; isReading: boolean; read: () => void } {
  const [known, setKnown] = useState<Known>(null)
  const [isReading, setReading] = useState(false)
  const read = useCallback(async () => {
    setReading(true)
    // It answers 503 where a part that is required is not ready, with the same content.
    const response = await fetch('/readyz').catch(() => null)
    const readiness = (await response?.json().catch(() => null)) as Readiness | null
    setKnown(readiness?.parts ? { readiness, at: new Date().toISOString() } : 'failed')
    setReading(false)
  }, [])
  useEffect(() => {
    void read()
    const readIfVisible = () => document.visibilityState === 'visible' && void read()
    document.addEventListener('visibilitychange', readIfVisible)
    return () => document.removeEventListener('visibilitychange', readIfVisible)
  }, [read])
  return { known, isReading, read }
}

function stateOf({ ready, state, isRequired }: Part): Shown {
  if (ready && state === 'READY') return { icon: 'circleCheck', word: 'Ready', tone: 'good' }
  if (ready) return { icon: 'triangleAlert', word: wordsOf(state), tone: 'warn' }
  return isRequired
    ? { icon: 'circleX', word: wordsOf(state), tone: 'bad' }
    : { icon: 'triangleAlert', word: wordsOf(state), tone: 'warn' }
}

/** Parts with a trouble first; what each lacks, and what to do. */
export function HealthView() {
  const { known, isReading, read } = useReadiness()
  const again = (
    <Button icon="refreshCw" isBusy={isReading} onClick={read}>
      Ask again
    </Button>
  )
  if (known === null) return <Skeleton lines={10} />
  if (known === 'failed') return <Refused refusal={NO_ANSWER} onRetry={read} />
  const { readiness, at } = known
  const rankOf = (part: Part) => (part.ready && part.state === 'READY' ? 2 : part.isRequired ? 0 : 1)
  const parts = Object.entries(readiness.parts).sort(([, a], [, b]) => rankOf(a) - rankOf(b))
  const troubled = parts.filter(([, part]) => rankOf(part) < 2).length
  const tasks = (readiness.parts.tasks?.details ?? []).filter(({ name }) => name !== undefined)
  return (
    <>
      <Section
        title={troubled === 0 ? 'Every part is well' : `${troubled} parts need attention`}
        isFlush
        actions={again}
      >
        <ul className={styles.parts}>
          {parts.map(([name, part]) => (
            <li key={name} className={styles.part}>
              <b>{partName(name)}</b>
              <Status {...stateOf(part)} />
              <span className={styles.what}>
                {part.reason && <span>{visibleText(part.reason)}</span>}
                {part.nextStep && <span className="soft">{visibleText(part.nextStep)}</span>}
                {!part.ready && !part.isRequired && (
                  <span className="soft">The API answers without it; what needs it waits.</span>
                )}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <p className="soft">
        Asked <Time at={at} style="clock" />. The same is at <code>/readyz</code>, for monitoring.
      </p>
      {tasks.length > 0 && <Tasks tasks={tasks} />}
    </>
  )
}

function Tasks({ tasks }: { tasks: readonly Task[] }) {
  const sorted = [...tasks].sort((a, b) => (b.failures ?? 0) - (a.failures ?? 0))
  return (
    <Section title="Periodic tasks of the worker" isFlush>
      <Table
        label="Periodic tasks"
        rows={sorted}
        keyOf={({ name, engine }) => `task-${name}-${engine ?? ''}`}
        columns={[
          { name: 'Task', kind: 'header', cell: ({ name }) => name },
          { name: 'Engine', cell: ({ engine }) => engine && <code>{visibleText(engine)}</code> },
          { name: 'Ended last', cell: ({ lastEndedAt }) => (lastEndedAt ? <Time at={lastEndedAt} /> : 'Not yet') },
          {
            name: 'Failures in a row',
            kind: 'number',
            cell: ({ failures = 0 }) => (failures > 0 ? <span className="bad">{failures}</span> : 0),
          },
          { name: 'Error', cell: ({ error }) => error && <span className="bad">{visibleText(error)}</span> },
        ]}
      />
    </Section>
  )
}

/** `hostFirewall` as "Host firewall". */
function partName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
