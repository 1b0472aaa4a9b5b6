import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { Copy } from './copy.tsx'
import styles from './secret-once.module.css'

const SHOWN_MS = 30_000

export interface Secret {
  /** What it is of, such as `Secret of the token “CI”`. */
  title: string
  value: string
  /** What to do with it. */
  about?: ReactNode
}

/**
 * A secret that no other answer shows. It is masked after a while and when the tab is hidden, can be shown again while
 * one stays, and is gone with the component.
 */
export function SecretOnce({ secret, onDone }: { secret: Secret; onDone: () => void }) {
  const [isShown, setShown] = useState(true)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    if (!isShown) return
    const hide = () => setShown(false)
    const hideIfHidden = () => document.visibilityState === 'hidden' && hide()
    const timer = setTimeout(hide, SHOWN_MS)
    document.addEventListener('visibilitychange', hideIfHidden)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', hideIfHidden)
    }
  }, [isShown])
  return (
    <section className={styles.secret} aria-label={secret.title}>
      <h2 ref={heading} tabIndex={-1}>
        {secret.title}
      </h2>
      <p>Copy it now: Berth keeps no readable copy, and it is gone when you leave this page.</p>
      <div className={styles.value}>
        <code>{isShown ? secret.value : '•'.repeat(24)}</code>
        <IconButton
          icon={isShown ? 'eyeOff' : 'eye'}
          label={isShown ? 'Hide' : 'Show'}
          onClick={() => setShown(!isShown)}
        />
        <Copy text={secret.value} label="Copy the secret" />
      </div>
      {secret.about}
      <p>
        <Button onClick={onDone}>I have it</Button>
      </p>
    </section>
  )
}
