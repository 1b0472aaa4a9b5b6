import { useState } from 'react'
import { parseDotenv } from '../../../../text/dotenv.ts'
import { variableChanges } from '../../../../text/variable-changes.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './variables.module.css'
import { type Row, replaceByFile } from './variables-draft.ts'

interface ImportDialogProps {
  isOpen: boolean
  base: readonly Row[]
  onClose: () => void
  onTake: (file: readonly { name: string; value: string }[], isReplacing: boolean) => void
}

/** A whole file: merged into the draft, or in place of all that is there. */
export function ImportDialog({ isOpen, base, onClose, onTake }: ImportDialogProps) {
  const [text, setText] = useState('')
  const { entries, problems } = parseDotenv(text)
  const { added, changed, removed } = variableChanges(base, replaceByFile(base, entries))
  const missing =
    problems.length > 0
      ? 'The file has problems; each says its line'
      : entries.length === 0
        ? 'Nothing is pasted yet'
        : null
  const take = (isReplacing: boolean) => {
    onTake(entries, isReplacing)
    setText('')
    onClose()
  }
  return (
    <Dialog title="Paste a file of variables" isOpen={isOpen} onClose={onClose}>
      <div className="stack tight">
        <label className="stack tight">
          <span>
            Text of a <code>.env</code> file
          </span>
          <textarea
            className={`mono ${styles.file}`}
            rows={10}
            wrap="off"
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <label className="row">
          <span>Or a file of this computer</span>
          <input type="file" onChange={async (event) => setText((await event.target.files?.[0]?.text()) ?? '')} />
        </label>
        {problems.length > 0 && (
          <ul className={styles.problems} role="alert">
            {problems.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                Line {line} {message}
              </li>
            ))}
          </ul>
        )}
        <p role="status">
          {entries.length > 0 &&
            `${added.length} new, ${changed.length} changed, ${entries.length - added.length - changed.length} as they are. ${removed.length} here are not in the file.`}
        </p>
        <div className="row">
          <Button kind="primary" missing={missing} onClick={() => take(false)}>
            Merge it
          </Button>
          <Button kind="danger" missing={missing} onClick={() => take(true)}>
            Replace all{removed.length > 0 && entries.length > 0 ? `: remove ${removed.length}` : ''}
          </Button>
        </div>
        <p className="soft">It goes into your draft. Nothing is saved before you have reviewed it.</p>
      </div>
    </Dialog>
  )
}
