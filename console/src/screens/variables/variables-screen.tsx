import { type ClipboardEvent, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { parseDotenv } from '../../../../text/dotenv.ts'
import { changeCount, variableChanges } from '../../../../text/variable-changes.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { OperationLine } from '../../environment/operation-line.tsx'
import type { Refusal } from '../../graphql/refusal.ts'
import { useData } from '../../graphql/use-data.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Compare } from './compare.tsx'
import { OtherEnvironments, VariablesOf } from './documents.ts'
import { ImportDialog } from './import-dialog.tsx'
import type { Referable } from './reference-field.tsx'
import { Review } from './review.tsx'
import { ThreeSides } from './three-sides.tsx'
import { differs, useSave } from './use-save.ts'
import { useTrial } from './use-trial.ts'
import styles from './variables.module.css'
import {
  type Editing,
  mergeFile,
  newKey,
  type Read,
  type Row,
  replaceByFile,
  useVariablesDraft,
  variablesOf,
} from './variables-draft.ts'
import { VariablesTable } from './variables-table.tsx'
import { VariablesText } from './variables-text.tsx'

/** The variables of an environment, edited as a table or as a file; what would change is shown before it does. */
export default function VariablesScreen() {
  return (
    <EnvironmentPage title="Variables">
      {(environment) =>
        environment.dockerPresetVersion === null ? (
          <Loaded environment={environment} />
        ) : (
          <OfService environment={environment} />
        )
      }
    </EnvironmentPage>
  )
}

function OfService({ environment: { cliEnvName: env } }: { environment: Head }) {
  return (
    <Section>
      <Empty title="A managed service has no variables">
        <p>
          What can be set is among its <Link href={pathTo('settings', { env })}>settings</Link>; how apps reach it is
          under <Link href={pathTo('connect', { env })}>connect</Link>.
        </p>
      </Empty>
    </Section>
  )
}

function Loaded({ environment }: { environment: Head }) {
  const { id, cliEnvName: env } = environment
  const { data, refusals, refetch } = useData(VariablesOf, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === id && event.type === 'APP_ENV_UPDATED',
  })
  const read = data?.appEnv
  if (!read) return refusals[0] ? <Refused refusal={refusals[0]} onRetry={refetch} /> : <Skeleton lines={8} />
  return <Editor key={id} environment={environment} read={read} useImage={read.app.useImage} onReadAgain={refetch} />
}

export const isNarrow = () => matchMedia('(max-width: 40rem)').matches

interface EditorProps {
  environment: Head
  read: Read
  useImage: boolean
  onReadAgain: () => void
}

function Editor({ environment, read, useImage, onReadAgain }: EditorProps) {
  const { id: appEnvId, cliEnvName: env, currentDeployment } = environment
  const draft = useVariablesDraft(env, read)
  const [isText, setText] = useState(isNarrow)
  const [isReviewing, setReviewing] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const [isComparing, setComparing] = useState(false)
  const [pasted, setPasted] = useState<Pasted | null>(null)
  const [operationId, setOperationId] = useState<string | null>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const missing = useMissing('appEnv:change')
  const referable = useReferable(environment, draft.rows)
  const variables = variablesOf(draft.rows)
  const changes = variableChanges(draft.base, variables)
  const count = changeCount(changes)
  const problems = isText && draft.text !== null ? parseDotenv(draft.text).problems : []
  const lost = draft.rows.filter(({ isLost, value }) => isLost && value === '')
  const isBehind = draft.isHeld && differs(read.variables, draft.base)
  const trial = useTrial(
    count > 0 && problems.length === 0 && missing === null ? { appEnvId, variables: variables } : null,
  )
  const save = useSave(environment, draft, onReadAgain)

  const add = () => {
    setText(false)
    setReviewing(false)
    const key = newKey()
    draft.changeRows([{ key, name: '', value: '', type: 'DEPLOY', isSecret: false }, ...draft.rows])
    setFocused(key)
  }
  const switchView = () => {
    if (!isText) draft.openText()
    setText(!isText)
  }
  // Before the first switch, the text view shows the rows without a draft.
  const text = isText ? (draft.text ?? null) : null
  const cannotReview = missing
    ? missing
    : problems.length > 0
      ? 'The text has problems; each says its line'
      : lost.length > 0
        ? 'A secret has to be typed again'
        : count === 0
          ? 'Nothing is changed'
          : null
  const review = () => cannotReview === null && setReviewing(true)
  useKeys([
    { keys: 'a', about: 'Add a variable', run: () => missing === null && add() },
    { keys: 'e', about: 'Edit as text, or as a table', run: switchView },
    { keys: 'Mod+enter', about: 'Review the changes', run: review },
  ])
  const paste = (event: ClipboardEvent) => {
    const file = fileIn(event.clipboardData.getData('text/plain'))
    if (!file || missing) return
    event.preventDefault()
    takeFile(file)
  }
  const takeFile = (file: File) => {
    setPasted({ before: draft.rows, file })
    draft.changeRows(mergeFile(draft.rows, file))
  }
  useEffect(() => {
    // A paste that no field takes is for the list as a whole.
    const listen = (event: Event) => {
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea, dialog')) return
      paste(event as unknown as ClipboardEvent)
    }
    document.addEventListener('paste', listen)
    return () => document.removeEventListener('paste', listen)
  })

  const done = (operation: string | null) => {
    setReviewing(false)
    setPasted(null)
    setOperationId(operation)
  }

  return (
    <>
      {operationId && <OperationLine id={operationId} environment={environment} />}
      {isBehind && !save.theirs && (
        <div className={styles.notice} role="status">
          <p>The variables were changed by another person meanwhile. Yours are kept.</p>
          <Button onClick={() => save.compareWith(read)}>Compare and go on</Button>
        </div>
      )}
      {save.theirs && (
        <ThreeSides
          base={draft.base}
          mine={variables}
          theirs={save.theirs.variables}
          onDone={(merged) => {
            draft.rebase(save.theirs ?? read, merged)
            save.compareWith(null)
          }}
        />
      )}
      {pasted && !isReviewing && !save.theirs && (
        <PastedNotice
          pasted={pasted}
          onReplace={() => {
            draft.changeRows(replaceByFile(pasted.before, pasted.file))
            setPasted(null)
          }}
          onUndo={() => {
            draft.changeRows(pasted.before)
            setPasted(null)
          }}
          onClose={() => setPasted(null)}
        />
      )}
      {save.theirs ? null : isReviewing && count > 0 ? (
        <Review
          changes={changes}
          rows={variables}
          base={draft.base}
          useImage={useImage}
          isDeployed={currentDeployment !== null}
          trial={trial}
          save={save}
          onBack={() => setReviewing(false)}
          onDone={done}
        />
      ) : (
        <Section
          isFlush
          title={`Variables: ${draft.rows.length}`}
          actions={
            <>
              <Button icon="plus" missing={missing} onClick={add}>
                Add
              </Button>
              <Button icon="upload" missing={missing} onClick={() => setImporting(true)}>
                Paste a file
              </Button>
              <Button icon={isText ? 'menu' : 'pencil'} onClick={switchView} aria-keyshortcuts="e">
                {isText ? 'As a table' : 'As text'}
              </Button>
              <Button aria-expanded={isComparing} onClick={() => setComparing(!isComparing)}>
                Compare
              </Button>
            </>
          }
        >
          {draft.rows.length === 0 && !isText ? (
            <Empty
              title="No variables yet"
              actions={
                <>
                  <Button kind="primary" icon="upload" missing={missing} onClick={() => setImporting(true)}>
                    Paste a file
                  </Button>
                  <Button icon="plus" missing={missing} onClick={add}>
                    Add one
                  </Button>
                </>
              }
            >
              <p>Programs read them from their environment, such as addresses and keys. Values are stored encrypted.</p>
              <p>
                <code>berth env push .env -e {env}</code>
              </p>
            </Empty>
          ) : isText ? (
            <VariablesText
              text={text}
              draft={draft}
              problems={problems}
              trial={trial}
              referable={referable}
              missing={missing}
              onPaste={paste}
            />
          ) : (
            <VariablesTable
              env={env}
              draft={draft}
              trial={trial}
              referable={referable}
              missing={missing}
              focused={focused}
              onPaste={paste}
            />
          )}
        </Section>
      )}
      {draft.isHeld && !isReviewing && !save.theirs && (
        <EditorBar count={count} draft={draft} cannotReview={cannotReview} trial={trial} onReview={review} />
      )}
      {isComparing && !isReviewing && <Compare environment={environment} draft={draft} missing={missing} />}
      <ImportDialog
        isOpen={isImporting}
        base={draft.rows}
        onClose={() => setImporting(false)}
        onTake={(file, isReplacing) => {
          draft.changeRows((isReplacing ? replaceByFile : mergeFile)(draft.rows, file))
        }}
      />
    </>
  )
}

type File = readonly { name: string; value: string }[]

interface Pasted {
  before: Row[]
  file: File
}

/** What was pasted, where it is a file: at least two assignments, or one with its line end, and nothing else. */
function fileIn(text: string): File | null {
  const { entries, problems } = parseDotenv(text)
  return problems.length === 0 && (entries.length > 1 || (entries.length === 1 && text.trimEnd() !== text))
    ? entries
    : null
}

function PastedNotice({
  pasted: { before, file },
  onReplace,
  onUndo,
  onClose,
}: {
  pasted: Pasted
  onReplace: () => void
  onUndo: () => void
  onClose: () => void
}) {
  const { added, changed, removed } = variableChanges(before, replaceByFile(before, file))
  return (
    <div className={styles.notice} role="status">
      <p>
        The file was merged: {added.length} added, {changed.length} changed,{' '}
        {file.length - added.length - changed.length} as they were.
      </p>
      <div className="row">
        {removed.length > 0 && (
          <Button kind="danger" onClick={onReplace}>
            Replace all: remove the other {removed.length}
          </Button>
        )}
        <Button icon="undo" onClick={onUndo}>
          Undo
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </div>
  )
}

function EditorBar({
  count,
  draft,
  cannotReview,
  trial,
  onReview,
}: {
  count: number
  draft: Editing
  cannotReview: string | null
  trial: Refusal | null
  onReview: () => void
}) {
  return (
    <section className={styles.bar} aria-label="Your draft">
      <span>
        {count === 0 ? 'Nothing is changed.' : `${count} ${count === 1 ? 'variable is' : 'variables are'} changed.`}{' '}
        <span className="soft">
          {trial ? 'Something is not right yet.' : 'Kept in this tab, but for secrets, until you save or discard.'}
        </span>
      </span>
      <div className="row">
        <Button onClick={draft.discard}>Discard</Button>
        <Button kind="primary" missing={cannotReview} onClick={onReview} aria-keyshortcuts="Control+Enter Meta+Enter">
          Review
        </Button>
      </div>
    </section>
  )
}

function useReferable({ account, cliEnvName }: Head, rows: readonly Row[]): Referable {
  const { data } = useData(OtherEnvironments, { variables: { accountId: account.id } })
  return {
    variables: rows.map(({ name }) => name),
    environments: (data?.appEnvs?.nodes ?? [])
      .filter((one) => one.cliEnvName !== cliEnvName)
      .map((one) => ({ name: one.cliEnvName, isService: one.dockerPresetVersion !== null })),
  }
}
