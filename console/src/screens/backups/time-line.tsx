import type { CSSProperties } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { pathTo } from '../../routes.ts'
import { formatTime, useNow } from '../../ui/time.tsx'
import { type Backup, backupText, joined, windowsOf } from './backup-text.ts'
import styles from './backups.module.css'

/** A line that is shorter would have all of its marks at one place. */
const MIN_SPAN_MS = 10 * 60_000
/** Nearer than that, marks overlap and cannot be hit. */
const MIN_DISTANCE = 0.03
/** Each restore and each gap begins another one; the line shows them all. */
const MAX_SPANS = 5

/** Backups along the time, and between them the moments that can be restored. */
export function TimeLine({ env, backups }: { env: string; backups: readonly Backup[] }) {
  const now = Math.max(useNow(), Date.now())
  const usable = backups.filter(({ status }) => status === 'AVAILABLE')
  const windows = windowsOf(backups)
  const spans = joined(windows)
  if (usable.length === 0) return <p className="soft">Nothing yet: no backup is whole.</p>
  const start = Math.min(...usable.map(({ date }) => Date.parse(date)), now - MIN_SPAN_MS)
  const place = (at: number) => Math.max(0, Math.min(1, (at - start) / (now - start)))
  const problem = windows[0]?.backup.pointInTimeMessage
  return (
    <div className="stack tight">
      <div className={styles.line}>
        {spans.map(({ from, to }) => (
          <span
            key={from}
            className={styles.window}
            style={{ '--from': place(from), '--to': place(to) } as CSSProperties}
            title={`Any moment from ${formatTime(from, 'exact')} to ${formatTime(to, 'exact')}`}
          />
        ))}
        {apart(usable, place).map((backup) => (
          <Link
            key={backup.id}
            href={`${pathTo('restore', { env })}?backup=${backup.id}`}
            className={styles.mark}
            data-verified={backup.verified || undefined}
            style={{ '--at': place(Date.parse(backup.date)) } as CSSProperties}
            title={`Restore the backup of ${backupText(backup)}`}
            aria-label={`Restore the backup of ${backupText(backup)}`}
          />
        ))}
      </div>
      <p className={`spread soft ${styles.ends}`} aria-hidden="true">
        <span>{formatTime(start)}</span>
        <span>now</span>
      </p>
      {spans.length > 0 ? (
        <div>
          <p>
            Any moment{!problem && <span className="soft">; the end moves on, as the log of changes is stored</span>}
          </p>
          <ul>
            {[...spans]
              .reverse()
              .slice(0, MAX_SPANS)
              .map(({ from, to }) => (
                <li key={from}>
                  from {formatTime(from, 'exact')} to {formatTime(to, 'exact')}
                </li>
              ))}
          </ul>
        </div>
      ) : (
        <p className="soft">
          The moments of the backups, and none between. A schedule with point in time would add every moment since.
        </p>
      )}
      {problem && <p className="warn">{visibleText(problem)}</p>}
    </div>
  )
}

/** The newest of those that would lie on each other. */
function apart(backups: readonly Backup[], place: (at: number) => number): Backup[] {
  const shown: Backup[] = []
  for (const backup of [...backups].sort((a, b) => Date.parse(b.date) - Date.parse(a.date))) {
    const before = shown.at(-1)
    if (!before || place(Date.parse(before.date)) - place(Date.parse(backup.date)) >= MIN_DISTANCE) shown.push(backup)
  }
  return shown
}
