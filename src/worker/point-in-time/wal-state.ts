import { BackupFailed } from '../../storage/backups/backup-failed.ts'

/** What an engine says of its log (`EnginePointInTime.log.close`). */
export interface WalState {
  /** Everything that was committed up to then is in complete segments. */
  until: Date
  /** The first segment that the engine keeps. */
  first: bigint
  /** The first segment that is not complete yet. */
  next: bigint
  /** Whether the last complete segment holds a change later than `until`. */
  hasChanged: boolean
  mark: string
}

/** Null: the engine has kept less than it should. Throws for anything else that is no state. */
export function readWalState(printed: string): WalState | null {
  const line = printed.trim()
  if (line === 'lost') return null
  const [until = '', first = '', next = '', changed = '', mark = ''] = line.split('|')
  const isState = /^\d{1,18}$/.test(first) && /^\d{1,18}$/.test(next) && ['t', 'f'].includes(changed)
  if (!isState || Number.isNaN(Date.parse(until)))
    throw new BackupFailed('BACKUP_FAILED', 'The engine says nothing readable of its log')
  return { until: new Date(until), first: BigInt(first), next: BigInt(next), hasChanged: changed === 't', mark }
}
