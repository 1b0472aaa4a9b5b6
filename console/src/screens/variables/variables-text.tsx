import type { ClipboardEvent } from 'react'
import { MASK } from '../../../../src/domain/mask.ts'
import { type DotenvProblem, isDotenvName, parseDotenv } from '../../../../text/dotenv.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { type Referable, ReferenceField } from './reference-field.tsx'
import { generalProblem, problemsOf } from './use-trial.ts'
import styles from './variables.module.css'
import { type Editing, textOf } from './variables-draft.ts'

interface TextProps {
  /** Null before something was typed. */
  text: string | null
  draft: Editing
  problems: readonly DotenvProblem[]
  trial: Refusal | null
  referable: Referable
  missing: string | null
  onPaste: (event: ClipboardEvent) => void
}

/** The same variables as the text of a file. */
export function VariablesText({ text, draft, problems, trial, referable, missing, onPaste }: TextProps) {
  const shown = text ?? textOf(draft)
  const others = draft.rows.filter(({ name }) => !isDotenvName(name))
  const said = [
    ...problems.map(({ line, message }) => `Line ${line} ${message}`),
    ...refusedLines(shown, draft, trial),
    ...[generalProblem(trial)].filter((one) => one !== null),
  ]
  return (
    <div className={styles.text} onPaste={onPaste}>
      <ReferenceField
        className={`mono ${styles.file}`}
        aria-label="Variables, as the text of a file"
        aria-describedby="variables-help"
        aria-invalid={said.length > 0 ? true : undefined}
        readOnly={missing !== null}
        rows={Math.min(28, Math.max(10, shown.split('\n').length + 1))}
        wrap="off"
        value={shown}
        referable={referable}
        onFocus={draft.hold}
        onText={draft.changeText}
      />
      {said.length > 0 && (
        <ul className={styles.problems} role="alert">
          {said.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <p className="soft" id="variables-help">
        <code>NAME=value</code>, with <code>#</code> for comments and quotes around several lines. A secret stays what
        it is while it reads <code>{MASK}</code>. Comments are for you: they stay in this draft and are not saved.
        {others.length > 0 &&
          ` ${others.map(({ name }) => name).join(', ')} cannot stand in a file; the table has ${others.length === 1 ? 'it' : 'them'}.`}
      </p>
    </div>
  )
}

/** What the API says of a variable, with its line. */
function refusedLines(text: string, draft: Editing, trial: Refusal | null): string[] {
  if (!trial) return []
  const lines = new Map(parseDotenv(text).entries.map(({ name, line }) => [name, line]))
  return draft.rows.flatMap(({ name }, place) =>
    problemsOf(trial, place).map((message) => {
      const line = lines.get(name)
      const said = message.startsWith(name) ? message : `${name} ${message}`
      return line === undefined ? said : `Line ${line}: ${said}`
    }),
  )
}
