import { useState } from 'react'
import { mergeVariables, type Variable } from '../../../../text/variable-changes.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import styles from './variables.module.css'

interface ThreeSidesProps {
  base: readonly Variable[]
  mine: readonly Variable[]
  theirs: readonly Variable[]
  onDone: (merged: Variable[]) => void
}

/** Another person saved first: what both started from, what is theirs, what is mine. Nothing of it is lost. */
export function ThreeSides({ base, mine, theirs, onDone }: ThreeSidesProps) {
  const { merged, conflicts, taken } = mergeVariables(base, mine, theirs)
  const [theirNames, setTheirNames] = useState<ReadonlySet<string>>(new Set())
  const choose = (name: string, isTheirs: boolean) =>
    setTheirNames((before) => {
      const next = new Set(before)
      if (isTheirs) next.add(name)
      else next.delete(name)
      return next
    })
  const done = () => {
    const chosen = new Map(merged.map((variable) => [variable.name, variable]))
    for (const { name, theirs: one } of conflicts) {
      if (!theirNames.has(name)) continue
      if (one) chosen.set(name, one)
      else chosen.delete(name)
    }
    onDone([...chosen.values()])
  }
  return (
    <Section title="Another person has changed the variables meanwhile">
      <div className="stack">
        <p>
          {conflicts.length === 0
            ? 'You changed other variables than they did: both go together.'
            : `You both changed ${conflicts.length === 1 ? 'one variable' : `${conflicts.length} variables`}: choose for each.`}{' '}
          Nothing is saved yet.
        </p>
        {conflicts.length > 0 && (
          <div className={styles.scroll}>
            <table className={styles.sides}>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">You both started from</th>
                  <th scope="col">Yours</th>
                  <th scope="col">Theirs</th>
                </tr>
              </thead>
              <tbody>
                {conflicts.map(({ name, base: before, mine: my, theirs: their }) => (
                  <tr key={name}>
                    <th scope="row">
                      <code>{visibleText(name)}</code>
                    </th>
                    <td>
                      <Side of={before} />
                    </td>
                    <td>
                      <Choice name={name} of={my} isChosen={!theirNames.has(name)} onChoose={() => choose(name, false)}>
                        Yours
                      </Choice>
                    </td>
                    <td>
                      <Choice
                        name={name}
                        of={their}
                        isChosen={theirNames.has(name)}
                        onChoose={() => choose(name, true)}
                      >
                        Theirs
                      </Choice>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {taken.length > 0 && (
          <p>
            Changed by them alone, and taken over: <b>{taken.map((name) => visibleText(name)).join(', ')}</b>
          </p>
        )}
        <p className="soft">A secret that both replaced looks alike here: yours counts.</p>
        <div className="row">
          <Button kind="primary" onClick={done}>
            Go on with this
          </Button>
        </div>
      </div>
    </Section>
  )
}

function Side({ of }: { of: Variable | undefined }) {
  if (!of) return <span className="soft">none</span>
  if (of.isSecret) return <span className="soft">a secret</span>
  return of.value === '' ? <span className="soft">empty</span> : <code>{visibleText(of.value)}</code>
}

function Choice({
  name,
  of,
  isChosen,
  onChoose,
  children,
}: {
  name: string
  of: Variable | undefined
  isChosen: boolean
  onChoose: () => void
  children: string
}) {
  return (
    <label className={styles.choice}>
      <input
        type="radio"
        name={`side-${name}`}
        checked={isChosen}
        onChange={onChoose}
        aria-label={`${children}: ${name}`}
      />
      <Side of={of} />
    </label>
  )
}
