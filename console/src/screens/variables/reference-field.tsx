import { type TextareaHTMLAttributes, useId, useRef, useState } from 'react'
import type { UrlKind } from '../../../../src/domain/references.ts'
import { isArgName } from '../../../../src/domain/variable-name.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import styles from './variables.module.css'

export interface Referable {
  variables: readonly string[]
  environments: readonly { name: string; isService: boolean }[]
}

const FIELDS: Readonly<Record<UrlKind, { about: string; isOfServices: boolean }>> = {
  internalUrl: { about: 'address on the network of the account', isOfServices: false },
  externalUrl: { about: 'address from outside', isOfServices: false },
  host: { about: 'host of the internal address', isOfServices: false },
  port: { about: 'port of the internal address', isOfServices: false },
  user: { about: 'user of the service', isOfServices: true },
  password: { about: 'password of the service', isOfServices: true },
  database: { about: 'database of the service', isOfServices: true },
  readOnlyUrl: { about: 'address of the replicas', isOfServices: true },
}

interface Suggestion {
  /** What stands between the braces, as far as it goes. */
  text: string
  about: string
  isWhole: boolean
}

const MAX_SUGGESTIONS = 8

/** Begun, and not ended, before the caret; `$${` is text. */
const BEGUN = /(?<!\$)\$\{([A-Za-z0-9_-]*)(?:(\.)([A-Za-z]*))?$/

function suggestionsFor(before: string, { variables, environments }: Referable): Suggestion[] {
  const [, head = '', dot, field = ''] = BEGUN.exec(before) ?? []
  if (!BEGUN.test(before)) return []
  if (dot) {
    const environment = environments.find(({ name }) => name === head)
    return Object.entries(FIELDS)
      .filter(([name, { isOfServices }]) => name.startsWith(field) && (!isOfServices || environment?.isService))
      .map(([name, { about }]) => ({ text: `${head}.${name}`, about, isWhole: true }))
  }
  const part = head.toLowerCase()
  return [
    ...variables
      .filter((name) => isArgName(name) && name.toLowerCase().includes(part))
      .map((name) => ({ text: name, about: 'variable here', isWhole: true })),
    ...environments
      .filter(({ name }) => name.includes(part))
      .map(({ name, isService }) => ({ text: name, about: isService ? 'service' : 'environment', isWhole: false })),
  ].slice(0, MAX_SUGGESTIONS)
}

type AreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'>

interface ReferenceFieldProps extends AreaProps {
  value: string
  onText: (value: string) => void
  referable: Referable
}

/** A value, or a file of values: `${` lists what it can refer to. */
export function ReferenceField({ value, onText, referable, ...rest }: ReferenceFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [at, setAt] = useState(0)
  const suggestions = caret === null ? [] : suggestionsFor(value.slice(0, caret), referable)
  const chosen = suggestions[Math.min(at, suggestions.length - 1)]
  const follow = () => {
    const { selectionStart, selectionEnd } = area.current ?? { selectionStart: 0, selectionEnd: 0 }
    setCaret(selectionStart === selectionEnd ? selectionStart : null)
  }
  const take = ({ text, isWhole }: Suggestion) => {
    if (caret === null || !area.current) return
    const begin = value.slice(0, caret).lastIndexOf('${') + 2
    const after = value.slice(caret)
    const inserted = `${text}${isWhole ? (after.startsWith('}') ? '' : '}') : '.'}`
    const next = begin + inserted.length + (isWhole && after.startsWith('}') ? 1 : 0)
    onText(value.slice(0, begin) + inserted + after)
    setAt(0)
    setCaret(isWhole ? null : next)
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(next, next)
    })
  }
  return (
    <div className={styles.reference}>
      <textarea
        rows={Math.min(10, value.split('\n').length)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...rest}
        ref={area}
        value={value}
        aria-autocomplete="list"
        aria-controls={suggestions.length > 0 ? id : undefined}
        aria-activedescendant={chosen ? `${id}-${chosen.text}` : undefined}
        onChange={(event) => {
          onText(event.target.value)
          setCaret(event.target.selectionStart)
          setAt(0)
        }}
        onClick={follow}
        onKeyUp={(event) => /^(?:Arrow(?:Left|Right)|Home|End)$/.test(event.key) && follow()}
        onBlur={(event) => {
          setCaret(null)
          rest.onBlur?.(event)
        }}
        onKeyDown={(event) => {
          rest.onKeyDown?.(event)
          if (!chosen || event.ctrlKey || event.metaKey) return
          if (event.key === 'ArrowDown') setAt((at + 1) % suggestions.length)
          else if (event.key === 'ArrowUp') setAt((at + suggestions.length - 1) % suggestions.length)
          else if (event.key === 'Enter' || event.key === 'Tab') take(chosen)
          else if (event.key === 'Escape') setCaret(null)
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {suggestions.length > 0 && (
        <div role="listbox" id={id} aria-label="What it can refer to" className={styles.suggestions}>
          {suggestions.map((suggestion) => (
            <div
              key={suggestion.text}
              id={`${id}-${suggestion.text}`}
              role="option"
              tabIndex={-1}
              aria-selected={suggestion === chosen}
              className={styles.suggestion}
              onMouseDown={(event) => {
                event.preventDefault()
                take(suggestion)
              }}
            >
              <code>{visibleText(suggestion.text)}</code>
              <span className="soft">{suggestion.about}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
