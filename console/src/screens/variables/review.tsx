import { useEffect, useRef } from 'react'
import { useParams } from 'wouter'
import { MASK } from '../../../../src/domain/mask.ts'
import { withReferenced } from '../../../../src/domain/references.ts'
import type { Variable, VariableChanges } from '../../../../text/variable-changes.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import type { Refusal } from '../../graphql/refusal.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Saving, sayOf } from './use-save.ts'
import styles from './variables.module.css'
import { TYPES } from './variables-table.tsx'

interface ReviewProps {
  changes: VariableChanges
  rows: readonly Variable[]
  base: readonly Variable[]
  useImage: boolean
  isDeployed: boolean
  trial: Refusal | null
  save: Saving
  onBack: () => void
  onDone: (operationId: string | null) => void
}

/** What would change, and what that takes, before it is saved. */
export function Review({ changes, rows, base, useImage, isDeployed, trial, save, onBack, onDone }: ReviewProps) {
  const { env = '' } = useParams<{ env: string }>()
  const { added, changed, removed, untouched } = changes
  const missing = useMissing('appEnv:change')
  const first = useRef<HTMLDivElement>(null)
  // Enter goes on from Mod+Enter.
  useEffect(() => first.current?.querySelector('button')?.focus({ preventScroll: true }), [])
  const send = async (applyImmediately: boolean) => {
    const answer = await save.save(applyImmediately)
    if (!answer) return
    sayOf(answer, env)
    onDone(answer.operation?.id ?? null)
  }
  const refused = save.refusal ?? trial
  return (
    <Section title="Review">
      <div className="stack">
        <p>{effectOf({ changes, rows, base, useImage, isDeployed })}</p>
        <Group title={`Added: ${added.length}`} sign="+" tone="good">
          {added.map((one) => (
            <Line key={one.name} name={one.name} to={one} />
          ))}
        </Group>
        <Group title={`Changed: ${changed.length}`} sign="~" tone="info">
          {changed.map(({ name, from, to }) => (
            <Line key={name} name={name} from={from} to={to} />
          ))}
        </Group>
        <Group title={`Removed: ${removed.length}`} sign="−" tone="bad">
          {removed.map((one) => (
            <Line key={one.name} name={one.name} from={one} />
          ))}
        </Group>
        {untouched.length > 0 && (
          <details>
            <summary>Untouched: {untouched.length}</summary>
            <p className="soft">{untouched.map(({ name }) => visibleText(name)).join(', ')}</p>
          </details>
        )}
        {refused && <Refused refusal={refused} />}
        <div className={styles.actionsRow} ref={first}>
          {isDeployed && (
            <Button
              kind="primary"
              icon="rocket"
              isBusy={save.isSending}
              missing={missing ?? (trial ? trial.message : null)}
              onClick={() => send(true)}
            >
              Save and apply
            </Button>
          )}
          <Button
            kind={isDeployed ? 'quiet' : 'primary'}
            isBusy={save.isSending}
            missing={missing ?? (trial ? trial.message : null)}
            onClick={() => send(false)}
          >
            Save
          </Button>
          <Button onClick={onBack}>Back to editing</Button>
        </div>
      </div>
    </Section>
  )
}

function Group({
  title,
  sign,
  tone,
  children,
}: {
  title: string
  sign: string
  tone: string
  children: readonly React.ReactNode[]
}) {
  if (children.length === 0) return null
  return (
    <section className={styles.group}>
      <h3 className={tone}>
        <span aria-hidden="true">{sign}</span> {title}
      </h3>
      <ul>{children}</ul>
    </section>
  )
}

function Line({ name, from, to }: { name: string; from?: Variable; to?: Variable }) {
  const isOtherType = from && to && from.type !== to.type
  const isOtherSecrecy = from && to && from.isSecret !== to.isSecret
  return (
    <li className={styles.line}>
      <code className={styles.lineName}>{visibleText(name)}</code>
      <span className={styles.lineValue}>
        {from && <Value of={from} />}
        {from && to && (from.value !== to.value || from.isSecret || to.isSecret) && (
          <>
            <span className="soft"> becomes </span>
            <Value of={to} isNew={to.isSecret && to.value !== MASK} />
          </>
        )}
        {!from && to && <Value of={to} />}
        {isOtherType && <span className="soft"> read by {TYPES[to.type].toLowerCase()}</span>}
        {isOtherSecrecy && <span className="soft"> {to.isSecret ? 'becomes a secret' : 'is no secret any more'}</span>}
      </span>
    </li>
  )
}

const MAX_SHOWN = 200

function Value({ of: { value, isSecret }, isNew = false }: { of: Variable; isNew?: boolean }) {
  if (isSecret) return <span className="soft">{isNew ? 'a new secret' : 'a secret'}</span>
  if (value === '') return <span className="soft">empty</span>
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value
  return <code>{visibleText(shown)}</code>
}

interface Effect extends Pick<ReviewProps, 'changes' | 'rows' | 'base' | 'useImage' | 'isDeployed'> {}

/** Whether the change takes a build or a deployment: builds read what is for them, and all that this refers to. */
function effectOf({ changes: { added, changed, removed }, rows, base, useImage, isDeployed }: Effect): string {
  if (!isDeployed) return 'Nothing was deployed yet: the first deployment will have them.'
  const touched = [...added, ...changed, ...removed].map(({ name }) => name)
  const readBy = (reads: (type: Variable['type']) => boolean) => {
    const found = [base, rows].flatMap((all) => [
      ...withReferenced(
        all.filter(({ type }) => reads(type)).map(({ name }) => name),
        new Map(all.map(({ name, value }) => [name, value])),
      ),
    ])
    return touched.some((name) => found.includes(name))
  }
  const isForBuilds = readBy((type) => type !== 'DEPLOY')
  if (isForBuilds && !useImage)
    return 'Applying this builds the app and deploys it, because a build reads what changes.'
  if (readBy((type) => type !== 'BUILD')) return 'Applying this deploys, without an interruption. It needs no build.'
  return isForBuilds
    ? 'Only builds read what changes, and this app runs an image: nothing has to be applied.'
    : 'Nothing that runs reads what changes.'
}
