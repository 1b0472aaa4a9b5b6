import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import type { Refusal } from '../graphql/refusal.ts'
import { useWrite } from '../graphql/use-write.ts'
import { Button } from './button.tsx'
import { keep, readDraft, readKept, removeDraft, writeDraft } from './draft.ts'
import { Form } from './form.tsx'
import { Section } from './page.tsx'
import styles from './setting.module.css'
import { say } from './toast.tsx'

/** The fields of a form, by the names that the API gives them. Lists are one a line; a checkbox is `true` or empty. */
export type Fields = Readonly<Record<string, string>>

interface Base {
  fields: Fields
  version: number
}

export interface SettingProps<Of, Result, Input> {
  title: string
  /** Under which what is typed is kept in this tab. */
  draftKey: string
  /** What the settings are of, and how it is read anew. */
  of: Of
  readNow: () => Promise<Of | null>
  /** What the person lacks. */
  missing: string | null
  /** What the form shows of the settings, and how it is sent. */
  fieldsOf: (of: Of) => Fields
  inputOf: (fields: Fields) => Omit<Input, 'idempotencyKey' | 'expectedVersion'>
  mutation: TypedDocumentNode<Result, { input: Input }>
  /** Of what the answer warns: data that is lost. */
  warningOf?: (answer: Result) => string | null | undefined
  saved?: string
  /** Its fields; `fields` are those that are typed now. */
  children: (fields: Fields) => ReactNode
  action?: string
}

/** Times that a call is sent again because something else of the environment has changed. */
const MAX_REPEATS = 3

/**
 * A group of settings that are saved together. What comes in live changes nothing that is being edited; where another person
 * else saved the same group first, it shows what both started from, what is theirs and what is typed here.
 */
export function Setting<Of extends { version: number }, Result, Input extends object>({
  title,
  draftKey: key,
  of,
  readNow,
  missing,
  fieldsOf,
  inputOf,
  mutation,
  warningOf,
  saved = 'Saved. It runs once it is applied.',
  children,
  action = 'Save',
}: SettingProps<Of, Result, Input>) {
  const present: Base = { fields: fieldsOf(of), version: of.version }
  const [base, setBase] = useState<Base>(() => readKept<Base>(`${key}.base`) ?? present)
  const [isDirty, setDirty] = useState(() => Object.keys(readDraft(key)).length > 0)
  const [typed, setTyped] = useState<Fields>(() => ({ ...present.fields, ...readDraft(key) }))
  const [theirs, setTheirs] = useState<Base | null>(null)
  const [warning, setWarning] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const write = useWrite<Result, AnyVariables>(mutation as unknown as TypedDocumentNode<Result, AnyVariables>)
  const area = useRef<HTMLDivElement>(null)

  const begin = (next: Base, fields: Fields) => {
    setBase(next)
    setTyped(fields)
    setRound((before) => before + 1)
  }
  useEffect(() => {
    if (!isDirty && !isSame(present.fields, base.fields)) begin(present, present.fields)
  })
  const end = () => {
    setDirty(false)
    setTheirs(null)
    removeDraft(key)
    removeDraft(`${key}.base`)
  }
  const discard = () => {
    end()
    begin(present, present.fields)
    write.reset()
  }
  const follow = () => {
    const form = area.current?.querySelector('form')
    if (!form) return
    if (!isDirty) keep(`${key}.base`, base)
    setDirty(true)
    // Fields that are not shown now keep what they had.
    setTyped((before) => ({ ...before, ...fieldsIn(form) }))
  }
  const readBase = async (): Promise<Base | null> => {
    const now = await readNow()
    return now && { fields: fieldsOf(now), version: now.version }
  }
  const send = async (sent: Fields) => {
    const fields = { ...typed, ...sent }
    let { version } = base
    for (let attempt = 0; attempt <= MAX_REPEATS; attempt += 1) {
      const input = { ...inputOf(fields), expectedVersion: version }
      const answer = await (write.send as (input: object) => Promise<Result | null>)(input)
      if (answer) {
        end()
        setWarning(warningOf?.(answer) ?? null)
        say(saved)
        const next = await readBase()
        if (next) begin(next, next.fields)
        return true
      }
      const next = await readBase()
      if (!next || next.version === version) return false
      // The version grows with deployments and other settings too: only these fields are a conflict.
      if (!isSame(next.fields, base.fields)) {
        write.reset()
        setTheirs(next)
        return false
      }
      version = next.version
    }
    return false
  }
  const resolve = (side: Base, fields: Fields) => {
    setTheirs(null)
    keep(`${key}.base`, side)
    writeDraft(key, fields)
    begin(side, fields)
    setDirty(!isSame(side.fields, fields))
  }

  return (
    <Section title={title}>
      <div className="stack">
        {warning && (
          <p className="warn" role="alert">
            {warning}
          </p>
        )}
        {theirs && (
          <Sides
            base={base.fields}
            mine={typed}
            theirs={theirs.fields}
            onMine={() => resolve(theirs, typed)}
            onTheirs={() => {
              end()
              begin(theirs, theirs.fields)
            }}
          />
        )}
        <div ref={area} onInput={follow} hidden={theirs !== null}>
          <Form key={round} draftKey={key} refusal={atFields(write.refusal, Object.keys(present.fields))} onSend={send}>
            {children(typed)}
            <div className={`${styles.save} ${isDirty ? styles.dirty : ''}`}>
              <Button kind={isDirty ? 'primary' : 'quiet'} type="submit" isBusy={write.isSending} missing={missing}>
                {action}
              </Button>
              {isDirty && <Button onClick={discard}>Discard</Button>}
            </div>
          </Form>
        </div>
      </div>
    </Section>
  )
}

/** Problems within a list are those of the field that holds the list. */
function atFields(refusal: Refusal | null, names: readonly string[]): Refusal | null {
  if (!refusal) return null
  const fields: Record<string, string> = {}
  for (const [path, message] of Object.entries(refusal.fields)) {
    const name = names.find((one) => path === one || path.startsWith(`${one}.`)) ?? path
    fields[name] = fields[name] ? `${fields[name]}; ${message}` : message
  }
  return { ...refusal, fields }
}

export const isSame = (one: Fields, other: Fields): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => (one[name] ?? '') === (other[name] ?? ''))

function fieldsIn(form: HTMLFormElement): Fields {
  const fields: Record<string, string> = {}
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && element.type === 'checkbox')
      fields[element.name] = element.checked ? 'true' : ''
    else if (
      (element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement) &&
      element.name
    )
      fields[element.name] = element.value
  }
  return fields
}

interface SidesProps {
  base: Fields
  mine: Fields
  theirs: Fields
  onMine: () => void
  onTheirs: () => void
}

function Sides({ base, mine, theirs, onMine, onTheirs }: SidesProps) {
  const names = [...new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])].filter(
    (name) => (base[name] ?? '') !== (mine[name] ?? '') || (base[name] ?? '') !== (theirs[name] ?? ''),
  )
  return (
    <div className="stack tight" role="alert">
      <p>
        <b>Another person has saved these settings meanwhile.</b> Nothing of yours is saved, and nothing is lost.
      </p>
      <div className={styles.scroll}>
        <table className={styles.sides}>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">You both started from</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                {[base, mine, theirs].map((side, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: three sides, in their order
                  <td key={at}>{side[name] ? <code>{side[name]}</code> : <span className="soft">none</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="row">
        <Button kind="primary" onClick={onMine}>
          Go on with yours
        </Button>
        <Button onClick={onTheirs}>Take theirs</Button>
      </div>
    </div>
  )
}

/** For inputs: an empty field is null. */
export const textIn = (value: string | undefined): string | null => value?.trim() || null
export const numberIn = (value: string | undefined): number | null => (value?.trim() ? Number(value) : null)
export const linesIn = (value: string | undefined): string[] =>
  (value ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
export const isTrue = (value: string | undefined): boolean => value === 'true'

/** For fields. */
export const shown = (value: string | number | boolean | null | undefined): string =>
  value === true ? 'true' : value === false || value === null || value === undefined ? '' : String(value)
export const shownLines = (values: readonly string[] | null | undefined): string => (values ?? []).join('\n')
