import { type ClipboardEvent, useEffect, useRef } from 'react'
import { MASK } from '../../../../src/domain/mask.ts'
import { isSame, type Variable } from '../../../../text/variable-changes.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Referable, ReferenceField } from './reference-field.tsx'
import { Revealed } from './revealed.tsx'
import { generalProblem, problemsOf } from './use-trial.ts'
import styles from './variables.module.css'
import type { Editing, Row } from './variables-draft.ts'

export const TYPES: Readonly<Record<Variable['type'], string>> = {
  DEPLOY: 'Containers',
  BUILD: 'Builds',
  BOTH: 'Both',
}

interface TableProps {
  env: string
  draft: Editing
  trial: Refusal | null
  referable: Referable
  missing: string | null
  /** Row that was added just now. */
  focused: string | null
  onPaste: (event: ClipboardEvent) => void
}

/** Each variable with its value, who reads it, and whether it is a secret; what differs from what is saved is marked. */
export function VariablesTable({ env, draft, trial, referable, missing, focused, onPaste }: TableProps) {
  const before = new Map(draft.base.map((variable) => [variable.name, variable]))
  const names = new Set(draft.rows.map(({ name }) => name))
  const removed = draft.base.filter(({ name }) => !names.has(name))
  const general = generalProblem(trial)
  const change = (key: string, next: Partial<Row>) =>
    draft.changeRows(draft.rows.map((row) => (row.key === key ? { ...row, ...next } : row)))
  return (
    <div onPaste={onPaste}>
      {general && (
        <p className={styles.general} role="alert">
          {general}
        </p>
      )}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">Read by</th>
            <th scope="col">Secret</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {draft.rows.map((row, place) => (
            <VariableRow
              key={row.key}
              env={env}
              row={row}
              before={before.get(row.name)}
              problems={problemsOf(trial, place)}
              referable={referable}
              missing={missing}
              isFocused={row.key === focused}
              onHold={draft.hold}
              onChange={(next) => change(row.key, next)}
              onRemove={() => draft.changeRows(draft.rows.filter(({ key }) => key !== row.key))}
            />
          ))}
          {removed.map((variable) => (
            <tr key={`removed ${variable.name}`} className={styles.removed}>
              <th scope="row">
                <s>
                  <code>{visibleText(variable.name)}</code>
                </s>
              </th>
              <td colSpan={3} className="soft">
                will be removed
              </td>
              <td className={styles.actions}>
                <Button
                  icon="undo"
                  onClick={() => draft.changeRows([...draft.rows, { ...variable, key: variable.name }])}
                >
                  Keep it
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  env: string
  row: Row
  before: Variable | undefined
  problems: string[]
  referable: Referable
  missing: string | null
  isFocused: boolean
  onHold: () => void
  onChange: (next: Partial<Row>) => void
  onRemove: () => void
}

function VariableRow({
  env,
  row,
  before,
  problems,
  referable,
  missing,
  isFocused,
  onHold,
  onChange,
  onRemove,
}: RowProps) {
  const { key, name, value, type, isSecret, isLost } = row
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFocused) field.current?.focus()
  }, [isFocused])
  const isNew = before === undefined
  const isChanged = !isNew && !isSame(before, { name, value, type, isSecret })
  const isMasked = isSecret && value === MASK
  const shown = isLost && value === '' ? ['was not kept, because it is a secret: type it again', ...problems] : problems
  const problemId = shown.length > 0 ? `problem-${key}` : undefined
  return (
    <tr className={isNew ? styles.added : isChanged ? styles.changed : undefined} onFocus={onHold}>
      <th scope="row">
        <span className={styles.name}>
          {isNew ? (
            <input
              ref={field}
              className="control mono"
              aria-label="Name"
              value={name}
              placeholder="NAME"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-describedby={problemId}
              aria-invalid={problemId ? true : undefined}
              onChange={(event) => onChange({ name: event.target.value })}
            />
          ) : (
            <code>{visibleText(name)}</code>
          )}
          {(isNew || isChanged) && <span className={styles.mark}>{isNew ? 'new' : 'changed'}</span>}
        </span>
      </th>
      <td className={styles.value}>
        {isMasked ? (
          <Revealed env={env} name={name} missing={missing} onReplace={() => onChange({ value: '' })} />
        ) : (
          <ReferenceField
            className={`control mono ${isSecret ? styles.secret : ''}`}
            aria-label={`Value of ${name || 'the new variable'}`}
            aria-describedby={problemId}
            aria-invalid={problemId ? true : undefined}
            readOnly={missing !== null}
            title={missing ?? undefined}
            value={value}
            referable={referable}
            onText={(next) => onChange({ value: next })}
          />
        )}
        {shown.length > 0 && (
          <p className={styles.problem} id={problemId}>
            {shown.join('; ')}
          </p>
        )}
      </td>
      <td>
        <select
          className="control"
          aria-label={`Reader of ${name || 'the new variable'}`}
          value={type}
          disabled={missing !== null}
          onChange={(event) => onChange({ type: event.target.value as Variable['type'] })}
        >
          {Object.entries(TYPES).map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      </td>
      <td>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isSecret}
            disabled={missing !== null || isMasked}
            title={isMasked ? 'Can be turned off only together with a new value' : undefined}
            aria-label={`${name || 'The new variable'} is a secret`}
            onChange={(event) => onChange({ isSecret: event.target.checked })}
          />
          <span aria-hidden="true">secret</span>
        </label>
      </td>
      <td className={styles.actions}>
        {isChanged && before && (
          <IconButton icon="undo" label={`Undo the change of ${name}`} onClick={() => onChange({ ...before })} />
        )}
        <IconButton icon="trash" label={`Remove ${name || 'the new variable'}`} missing={missing} onClick={onRemove} />
      </td>
    </tr>
  )
}
