import { useEffect, useState } from 'react'
import { visibleText } from '../../../text/visible-text.ts'
import { IconButton } from './button.tsx'
import styles from './copy.module.css'

const SHOWN_MS = 1_500

/** Copies a text; says that it did. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  )
}

/** An id or address, with what copies it at its end. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span className={styles.copyable}>
      <code>{visibleText(text)}</code>
      <Copy text={text} label={label} />
    </span>
  )
}
