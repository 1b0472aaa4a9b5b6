import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Refusal } from '../graphql/refusal.ts'
import { Button, IconButton } from './button.tsx'
import styles from './dialog.module.css'
import { Refused } from './refused.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** From the side, as on a phone’s sheet of actions. */
  isSheet?: boolean
}

/** Over the page; the browser keeps the focus within, and gives it back. Esc and a click beside it close it. */
export function Dialog({ title, isOpen, onClose, children, isSheet = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element || !isOpen) return
    element.showModal()
    // Of a form its first field, in place of the button that closes it.
    element.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => element.close()
  }, [isOpen])
  if (!isOpen) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, which the browser does
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={`${styles.dialog} ${isSheet ? styles.sheet : ''}`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.content}>
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          <IconButton icon="x" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** What will happen: from a dry run where there is one. */
  children: ReactNode
  /** Name that has to be typed first, of what is deleted. */
  name?: string
  action: string
  /** Whether what will happen is known; until then it cannot be done. */
  isReady?: boolean
  isSending: boolean
  refusal: Refusal | null
  onConfirm: () => void
}

/** Before what cannot be undone: it says what happens, and asks for the name of what is lost. */
export function Confirm({
  title,
  isOpen,
  onClose,
  children,
  name,
  action,
  isReady = true,
  isSending,
  refusal,
  onConfirm,
}: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const isAllowed = isReady && (name === undefined || typed === name)
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllowed) onConfirm()
        }}
      >
        <div className="stack tight">{children}</div>
        {refusal && <Refused refusal={refusal} />}
        {name !== undefined && (
          <label className={styles.name}>
            <span>
              To go on, type <code>{name}</code>
            </span>
            <input
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </label>
        )}
        <div className="row">
          <Button kind="danger" type="submit" isBusy={isSending} disabled={!isAllowed}>
            {action}
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </div>
      </form>
    </Dialog>
  )
}
