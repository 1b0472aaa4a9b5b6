import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button } from './button.tsx'
import styles from './filters.module.css'

/** What of a list is shown: fields side by side; many of them are folded on a phone. */
export function Filters({ children, isFoldable = false }: { children: ReactNode; isFoldable?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (!isFoldable) return <search className={styles.filters}>{children}</search>
  return (
    <search className={styles.foldable}>
      <span className={styles.fold}>
        <Button icon="funnel" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </Button>
      </span>
      <div className={styles.filters} data-folded={!isOpen || undefined}>
        {children}
      </div>
    </search>
  )
}

const WAIT_MS = 300

interface TextFilterProps {
  label: string
  value: string
  onChange: (value: string) => void
  placeholder?: string
  /** Values that are known, to choose from. */
  known?: readonly string[]
}

/** Holds when the typing stops for a moment. */
export function TextFilter({ label, value, onChange, placeholder, known }: TextFilterProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // Set by something else, such as the button that removes all filters; never while one types here.
    if (field.current && document.activeElement !== field.current) field.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const list = `known-${label.replace(/\W/g, '-')}`
  return (
    <label>
      {label}
      <input
        ref={field}
        type="search"
        className="control"
        defaultValue={value}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        list={known ? list : undefined}
        onChange={({ target }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onChange(target.value.trim()), WAIT_MS)
        }}
      />
      {known && (
        <datalist id={list}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  )
}

interface SelectFilterProps {
  label: string
  value: string
  onChange: (value: string) => void
  options: readonly { value: string; label: string }[]
}

export function SelectFilter({ label, value, onChange, options }: SelectFilterProps) {
  return (
    <label>
      {label}
      <select className="control" value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A time in the zone of the browser; `value` and what is given are ISO 8601, or empty. */
export function TimeFilter({ label, value, onChange }: Omit<SelectFilterProps, 'options'>) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        className="control"
        value={localOf(value)}
        onChange={({ target }) => onChange(target.value ? new Date(target.value).toISOString() : '')}
      />
    </label>
  )
}

function localOf(iso: string): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return ''
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface ViewsProps {
  label: string
  views: readonly { name: string; label: string; href: string }[]
  current: string
}

/** Of the view before, so that one sees that there is one. */
const EDGE_PX = 48

/** Links to the views of a screen. */
export function Views({ label, views, current }: ViewsProps) {
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view stands elsewhere in the row
  useEffect(() => {
    const shown = list.current?.querySelector<HTMLElement>('[aria-current]')
    if (shown && list.current) list.current.scrollLeft = shown.offsetLeft - list.current.offsetLeft - EDGE_PX
  }, [current])
  return (
    <nav ref={list} aria-label={label} className={styles.views}>
      {views.map(({ name, label: text, href }) => (
        <Link key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
