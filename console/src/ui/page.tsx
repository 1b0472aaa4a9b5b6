import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import styles from './page.module.css'

interface PageProps {
  title: string
  /** What stands before the title in the browser’s tab. */
  within?: string | undefined
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
  isWide?: boolean
}

/** A screen: its title, which gets the focus when one comes here, what to do, and its parts. */
export function Page({ title, within, about, actions, children, isWide = false }: PageProps) {
  useTitle(within ? `${title} · ${within}` : title)
  return (
    <div className={`${styles.page} ${isWide ? styles.wide : ''}`}>
      <header className={styles.header}>
        <div className="stack tight">
          <Heading>{title}</Heading>
          {about && <p className="soft">{about}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Berth`
  }, [title])
}

let isFirst = true

/** The one h1. It takes the focus when it appears by navigation, so that a screen reader says where one is. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

/** Headings of a section’s content are one level below its own. */
const WithinSection = createContext(false)

interface SectionProps {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Without its inner edge, for tables. */
  isFlush?: boolean
}

/** A part of a screen, on a card. */
export function Section({ title, actions, children, isFlush = false }: SectionProps) {
  return (
    <section className={styles.section}>
      {(title || actions) && (
        <header className={styles.sectionHeader}>
          {title && <h2>{title}</h2>}
          {actions && <div className="row">{actions}</div>}
        </header>
      )}
      <div className={isFlush ? styles.flush : styles.body}>
        <WithinSection value={true}>{children}</WithinSection>
      </div>
    </section>
  )
}

/** What would be here, why it is useful, and how to begin. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  const Title = useContext(WithinSection) ? 'h3' : 'h2'
  return (
    <div className={styles.empty}>
      <Title>{title}</Title>
      {children && <div className="soft stack tight">{children}</div>}
      {actions && <div className="row">{actions}</div>}
    </div>
  )
}

/** Lines of the size of what is to come; nothing for the first moment, which mostly is enough. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a skeleton are all alike
        <span key={index} />
      ))}
    </div>
  )
}

/** Names and values, one pair per line. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span className="soft">none</span>}</dd>
        </div>
      ))}
    </dl>
  )
}
