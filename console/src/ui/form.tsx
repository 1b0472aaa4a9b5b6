import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import type { Refusal } from '../graphql/refusal.ts'
import { type Draft, readDraft, removeDraft, writeDraft } from './draft.ts'
import styles from './form.module.css'
import { Refused } from './refused.tsx'

interface FormState {
  draft: Draft
  refusal: Refusal | null
  /** A field says that it shows the problem of its name. */
  claim: (name: string) => () => void
}

const FormContext = createContext<FormState>({ draft: {}, refusal: null, claim: () => () => {} })

interface FormProps {
  /** Under which what was typed is kept in this tab, until it was sent; not kept without one. */
  draftKey?: string
  refusal: Refusal | null
  /** Resolves to whether it was accepted, which removes the draft. */
  onSend: (fields: Record<string, string>) => Promise<boolean>
  children: ReactNode
}

/**
 * A form whose fields show what the API says of each. What is typed survives navigation, reload and signing in again;
 * fields of passwords are left out.
 */
export function Form({ draftKey, refusal, onSend, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [draft] = useState(() => (draftKey ? readDraft(draftKey) : {}))
  const [claimed, setClaimed] = useState<ReadonlySet<string>>(new Set())
  const claim = (name: string) => {
    setClaimed((before) => (before.has(name) ? before : new Set(before).add(name)))
    return () => {}
  }
  useEffect(() => {
    const [first] = Object.keys(refusal?.fields ?? {})
    if (!first) return
    const field = (name: string) => form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)
    const wanted = field(first) ?? field(listOf(first))
    wanted?.focus()
  }, [refusal])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.current) return
    if (await onSend(valuesOf(form.current))) if (draftKey) removeDraft(draftKey)
  }
  const keep = () => {
    if (draftKey && form.current) writeDraft(draftKey, valuesOf(form.current, { withSecrets: false }))
  }
  return (
    <FormContext value={{ draft, refusal, claim }}>
      <form
        ref={form}
        className={styles.form}
        onSubmit={submit}
        onInput={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit()
        }}
      >
        {refusal && <Refused refusal={unclaimed(refusal, claimed)} />}
        {children}
      </form>
    </FormContext>
  )
}

/** Without the message where each of its fields says its part: it would be the same words twice. */
function unclaimed(refusal: Refusal, claimed: ReadonlySet<string>): Refusal {
  const names = Object.keys(refusal.fields)
  const isShown = names.length > 0 && names.every((name) => claimed.has(name) || claimed.has(listOf(name)))
  return isShown ? { ...refusal, message: 'Some fields are not right yet; each says why.' } : refusal
}

/** Of an item, the name of its list: `args.2` is an item of `args`. */
const listOf = (name: string) => name.replace(/\.\d+$/, '')

/** Of a field that holds a list, one item in each line. */
function itemProblem({ fields }: Refusal, name: string): string | undefined {
  const found = Object.keys(fields).find((path) => path !== name && listOf(path) === name)
  return found && `Line ${Number(found.slice(name.length + 1)) + 1} ${fields[found]}`
}

function valuesOf(form: HTMLFormElement, { withSecrets = true } = {}): Record<string, string> {
  const values: Record<string, string> = {}
  for (const element of form.elements) {
    if (
      !(
        element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement
      )
    )
      continue
    if (!element.name || (!withSecrets && element.type === 'password')) continue
    if (element.type === 'checkbox') values[element.name] = (element as HTMLInputElement).checked ? 'true' : ''
    else if (element.type !== 'radio' || (element as HTMLInputElement).checked) values[element.name] = element.value
  }
  return values
}

interface FieldProps {
  name: string
  label: string
  help?: ReactNode
  required?: boolean
}

/** What a field shows of the draft and of the refusal. */
function useField(name: string) {
  const { draft, refusal, claim } = useContext(FormContext)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a field claims its name once
  useEffect(() => claim(name), [name])
  return { kept: draft[name], problem: refusal?.fields[name] ?? (refusal ? itemProblem(refusal, name) : undefined) }
}

function Frame({
  name,
  label,
  help,
  problem,
  children,
}: FieldProps & { problem: string | undefined; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={`field-${name}`}>{label}</label>
      {children}
      {problem && (
        <p className={styles.problem} id={`problem-${name}`}>
          {problem}
        </p>
      )}
      {help && (
        <p className={styles.help} id={`help-${name}`}>
          {help}
        </p>
      )}
    </div>
  )
}

const wired = (name: string, help: ReactNode, problem: string | undefined) => ({
  id: `field-${name}`,
  name,
  'aria-invalid': problem ? true : undefined,
  'aria-describedby': [problem && `problem-${name}`, help && `help-${name}`].filter(Boolean).join(' ') || undefined,
})

type InputProps = Omit<React.InputHTMLAttributes<HTMLInputElement>, 'name' | 'id'>

/** One line of text. */
export function TextField({ name, label, help, defaultValue, ...rest }: FieldProps & InputProps) {
  const { kept, problem } = useField(name)
  return (
    <Frame name={name} label={label} help={help} problem={problem}>
      <input
        type="text"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...rest}
        {...wired(name, help, problem)}
        {...(rest.value === undefined ? { defaultValue: kept ?? defaultValue } : {})}
      />
    </Frame>
  )
}

type AreaProps = Omit<React.TextareaHTMLAttributes<HTMLTextAreaElement>, 'name' | 'id'>

/** Several lines, in a fixed width. */
export function TextAreaField({ name, label, help, defaultValue, ...rest }: FieldProps & AreaProps) {
  const { kept, problem } = useField(name)
  return (
    <Frame name={name} label={label} help={help} problem={problem}>
      <textarea
        rows={6}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...rest}
        {...wired(name, help, problem)}
        {...(rest.value === undefined ? { defaultValue: kept ?? defaultValue } : {})}
      />
    </Frame>
  )
}

type SelectProps = Omit<React.SelectHTMLAttributes<HTMLSelectElement>, 'name' | 'id'>

/** One of a few. */
export function SelectField({
  name,
  label,
  help,
  defaultValue,
  options,
  ...rest
}: FieldProps & SelectProps & { options: readonly { value: string; label: string }[] }) {
  const { kept, problem } = useField(name)
  return (
    <Frame name={name} label={label} help={help} problem={problem}>
      <select
        {...rest}
        {...wired(name, help, problem)}
        {...(rest.value === undefined ? { defaultValue: kept ?? defaultValue } : {})}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

/** Yes or no; sent as `true` or an empty text. */
export function CheckField({ name, label, help, defaultChecked, ...rest }: FieldProps & InputProps) {
  const { kept, problem } = useField(name)
  return (
    <div className={styles.field}>
      <label className={styles.check}>
        <input
          type="checkbox"
          {...rest}
          {...wired(name, help, problem)}
          {...(rest.checked === undefined
            ? { defaultChecked: kept === undefined ? defaultChecked : kept === 'true' }
            : {})}
        />
        {label}
      </label>
      {problem && (
        <p className={styles.problem} id={`problem-${name}`}>
          {problem}
        </p>
      )}
      {help && (
        <p className={styles.help} id={`help-${name}`}>
          {help}
        </p>
      )}
    </div>
  )
}

/** What is wrong with something in the form that is no field of its own kind: a place to drop files, a list. */
export function FieldProblem({ name }: { name: string }) {
  const { problem } = useField(name)
  if (!problem) return null
  return (
    <p className={styles.problem} role="alert">
      {problem}
    </p>
  )
}

interface ChecksProps extends FieldProps {
  options: readonly { value: string; label: ReactNode; help?: ReactNode }[]
  chosen?: readonly string[]
  /** With the names of what is chosen now. */
  onChoose?: (chosen: string[]) => void
}

/** Any number of a few; `checkedOf` reads which. */
export function ChecksField({ name, label, help, options, chosen = [], onChoose }: ChecksProps) {
  const { draft, refusal } = useContext(FormContext)
  useField(name)
  const problem = Object.entries(refusal?.fields ?? {}).find(([field]) => field === name || listOf(field) === name)?.[1]
  return (
    <fieldset
      className={styles.checks}
      aria-describedby={[problem && `problem-${name}`, help && `help-${name}`].filter(Boolean).join(' ') || undefined}
      onChange={(event) =>
        onChoose?.([...event.currentTarget.querySelectorAll<HTMLInputElement>(':checked')].map(({ value }) => value))
      }
    >
      <legend>{label}</legend>
      {problem && (
        <p className={styles.problem} id={`problem-${name}`}>
          {problem}
        </p>
      )}
      {help && (
        <p className={styles.help} id={`help-${name}`}>
          {help}
        </p>
      )}
      {options.map((option) => (
        <label key={option.value} className={styles.option}>
          <input
            type="checkbox"
            name={`${name}.${option.value}`}
            value={option.value}
            defaultChecked={
              draft[`${name}.${option.value}`] === undefined
                ? chosen.includes(option.value)
                : draft[`${name}.${option.value}`] === 'true'
            }
          />
          <span>
            {option.label}
            {option.help && <small className={styles.help}>{option.help}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** What is chosen of a `ChecksField`. */
export const checkedOf = (fields: Readonly<Record<string, string>>, name: string): string[] =>
  Object.entries(fields)
    .filter(([field, value]) => field.startsWith(`${name}.`) && value === 'true')
    .map(([field]) => field.slice(name.length + 1))

/** Where its button stays in reach, also above a phone’s keyboard. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
