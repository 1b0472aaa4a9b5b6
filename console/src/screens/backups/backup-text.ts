import { sizeText } from '../../../../text/size.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { wordsOf } from '../../ui/status.tsx'
import { formatTime } from '../../ui/time.tsx'
import type { BackupState } from './documents.ts'

export type Backup = ResultOf<typeof BackupState>

const KINDS: Readonly<Record<Backup['kind'], string>> = {
  MANUAL: 'By hand',
  SCHEDULED: 'Scheduled',
  BEFORE_RESTORE: 'Before a restore',
}

export const kindOf = ({ kind }: Pick<Backup, 'kind'>): string => KINDS[kind] ?? wordsOf(kind)

/** `Nov 28, 17:16 · By hand · 3.8 MB · verified`. */
export const backupText = (backup: Backup): string =>
  [
    formatTime(backup.date),
    kindOf(backup),
    backup.size === null ? null : sizeText(backup.size),
    backup.verified ? 'verified' : null,
  ]
    .filter(Boolean)
    .join(' · ')

/** A backup that can be restored to any moment of a window. */
export interface Window {
  backup: Backup
  from: number
  to: number
}

/** The windows of point in time, latest first. */
export const windowsOf = (backups: readonly Backup[]): Window[] =>
  backups
    .flatMap((backup) => {
      const { status, pointInTimeFrom, pointInTimeTo } = backup
      if (status !== 'AVAILABLE' || !pointInTimeFrom || !pointInTimeTo) return []
      return [{ backup, from: Date.parse(pointInTimeFrom), to: Date.parse(pointInTimeTo) }]
    })
    .sort((a, b) => b.from - a.from)

/**
 * The backup from which a moment is reached soonest: the last one that begins before it. That of the latest window is
 * also the answer for what comes after: the window grows while the log of changes is stored, and the API knows how far.
 */
export const windowAt = (windows: readonly Window[], moment: number): Window | null =>
  windows.find(({ from, to }, at) => from <= moment && (moment <= to || at === 0)) ?? null

export interface Span {
  from: number
  to: number
}

/** Windows that touch or overlap, as one. */
export function joined(windows: readonly Span[]): Span[] {
  const spans: Span[] = []
  for (const { from, to } of [...windows].sort((a, b) => a.from - b.from)) {
    const last = spans.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else spans.push({ from, to })
  }
  return spans
}

export const storageText = (storage: string, storages: readonly { id: string; name: string }[]): string =>
  storage === 'LOCAL' ? 'Data folder' : (storages.find(({ id }) => id === storage)?.name ?? storage)
