import { randomBytes } from 'node:crypto'
import type { EnginePointInTime } from '../../app-types/engines/engine.ts'
import { newId } from '../../domain/ids.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import { writeBackup } from '../../storage/backups/backup-stream.ts'
import { bytesLeft } from '../../storage/backups/budget.ts'
import { storeOf } from '../../storage/backups/stored-backup.ts'
import type { WalArchive } from '../../storage/database/generated/prisma/client.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { endArchive } from './wal-archive.ts'
import { askWalCommand, runWalCommand, type WalSource } from './wal-commands.ts'

/** A piece is stored whole or not at all: a storage that is slow must be able to store one in time. */
const SEGMENTS_PER_PIECE = 16n
const ANSWER_SECONDS = 60
/** For one piece. */
const STORE_SECONDS = 300

interface Collecting {
  context: EnvironmentContext
  appEnv: ClaimedAppEnv
  source: WalSource
  commands: EnginePointInTime['log']
}

/**
 * Stores what the engine has completed of its log since the last time, piece after piece: what it has written by now
 * becomes complete if something was committed, or if that is `forced`. The engine lets go of a piece only after it is
 * recorded as stored, so that a worker killed anywhere leaves no gap. Null where there is one all the same, because
 * the engine has kept too little: the archive ends before it. After as many `pieces` the rest is left, and due at once.
 */
export async function collectWal(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  source: WalSource,
  archive: WalArchive,
  { forced = false, pieces = Number.POSITIVE_INFINITY } = {},
): Promise<WalArchive | null> {
  const { pointInTime, title } = source.engine
  if (!pointInTime) throw new Error(`${title} has no log to collect`)
  const collecting = { context, appEnv, source, commands: pointInTime.log }
  const state = await closeSegment(collecting, archive, forced)
  const from = archive.nextSegment ?? state?.first
  if (!state || from === undefined || state.first > from || state.next < from) {
    await endArchive(context, archive, `${title} no longer had a part of its log that was not stored yet`)
    return null
  }
  let reached = archive
  for (let start = from; start < state.next; start += SEGMENTS_PER_PIECE) {
    if (reached.lastPiece - archive.lastPiece >= pieces) break
    const end = start + SEGMENTS_PER_PIECE < state.next ? start + SEGMENTS_PER_PIECE : state.next
    reached = await storePiece(collecting, reached, { from: start, to: end }, end === state.next ? state : null)
  }
  if (from === state.next) reached = await recordNothingNew(collecting, archive, state)
  return reached
}

async function closeSegment(
  { context, source, commands }: Collecting,
  { id, nextSegment, mark }: WalArchive,
  forced: boolean,
): Promise<WalState | null> {
  const environment = { ARCHIVE: id, BEGINS: String(nextSegment === null), FORCED: String(forced), MARK: mark }
  const about = { what: 'completes a segment of the log', environment, timeoutSeconds: ANSWER_SECONDS }
  return readWalState(await askWalCommand(context, source, commands.close, about))
}

interface Segments {
  from: bigint
  to: bigint
}

/** `state`: with this piece, everything is stored that was committed up to then. */
async function storePiece(
  collecting: Collecting,
  archive: WalArchive,
  segments: Segments,
  state: WalState | null,
): Promise<WalArchive> {
  const { context, appEnv, source, commands } = collecting
  const { database, lease, vault } = context
  const number = archive.lastPiece + 1
  const id = newId('wal')
  const file = `${id}.${lease.claim.token}`
  const key = randomBytes(32)
  // Rows of attempts before, which came to nothing, go with their files.
  await fenced(database, lease, async (tx) => {
    await tx.walPiece.updateMany({ where: { archiveId: archive.id, status: 'CREATING' }, data: { status: 'DELETING' } })
    await tx.walPiece.create({ data: { id, archiveId: archive.id, number, file } })
  })
  failpoint('log.begun', appEnv.id)
  const environment = { ARCHIVE: archive.id, FROM: String(segments.from), TO: String(segments.to) }
  const timeout = AbortSignal.timeout(STORE_SECONDS * 1000)
  const { sizeBytes } = await writeBackup({
    store: await storeOf(context, archive),
    file,
    key,
    header: { backupId: id, presetVersion: archive.presetVersion },
    signal: AbortSignal.any([context.signal, timeout]),
    maxBytes: await bytesLeft(database, context.config, archive.accountId),
    begun: (unfinished) =>
      fenced(
        database,
        lease,
        async (tx) => void (await tx.walPiece.updateMany({ where: { id }, data: { unfinished } })),
      ),
    produce: (output) =>
      runWalCommand(context, source, commands.fetch, {
        what: 'reads the log',
        environment,
        output,
        timeoutSeconds: STORE_SECONDS,
      }),
  }).catch((error: unknown) => {
    if (!timeout.aborted || context.signal.aborted) throw error
    throw new BackupFailed('STORAGE_UNREACHABLE', `A piece of the log was not stored within ${STORE_SECONDS} s`)
  })
  failpoint('log.stored', appEnv.id)
  const sealedKey = vault.forAccount(appEnv.account).sealBackupKey(id, key)
  const reached = await fenced(database, lease, async (tx) => {
    const until = state?.hasChanged ? state.until : null
    const data = { status: 'AVAILABLE', sealedKey, sizeBytes: BigInt(sizeBytes), unfinished: null, until } as const
    await tx.walPiece.update({ where: { id, status: 'CREATING' }, data })
    return tx.walArchive.update({
      where: { id: archive.id, lastPiece: archive.lastPiece },
      data: {
        lastPiece: number,
        nextSegment: segments.to,
        message: null,
        ...(state ? { until: state.until, mark: state.mark, collectedAt: lease.claim.clock.now() } : {}),
      },
    })
  })
  failpoint('log.recorded', appEnv.id)
  const about = { what: 'releases the log', environment, timeoutSeconds: ANSWER_SECONDS }
  await runWalCommand(context, source, commands.release, about)
  return reached
}

/** Nothing was committed since: what is stored holds for the present too. */
const recordNothingNew = (
  { context: { database, lease } }: Collecting,
  { id }: WalArchive,
  { next, until, mark }: WalState,
): Promise<WalArchive> =>
  fenced(database, lease, (tx) =>
    tx.walArchive.update({
      where: { id },
      data: { nextSegment: next, until, mark, message: null, collectedAt: lease.claim.clock.now() },
    }),
  )

/** What an engine says of its log (`EnginePointInTime.log.close`). */
interface WalState {
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
