import { type LogFormat, levelOf } from '../../app-types/engines/engine-logs.ts'
import { numberedLevel } from '../../domain/log-level.ts'
import { structuredLine } from '../../domain/structured-line.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'
import { type LogPosition, logCursor } from './log-cursor.ts'
import type { LogLine } from './log-line-fields.ts'

/** Lines that one search reads at most. Its answer has a cursor to continue from. */
export const MAX_SCANNED = 250_000

export interface LineRow extends LogPosition {
  containerId: number
  isError: boolean
  isPartial: boolean
  message: string
  /** As it is stored. */
  level: number | null
}

export type LogRecord = ReturnType<typeof logRecord>

interface LoggedIn {
  appEnvId: string
  containers: ReadonlyMap<number, Container>
  /** How its lines read; null unless it is a managed service. */
  format: LogFormat | null
}

export function logRecord(
  { at, number, containerId, isError, isPartial, message, level }: LineRow,
  { appEnvId, containers, format }: LoggedIn,
) {
  const container = containers.get(containerId)
  return {
    at,
    number,
    id: logCursor({ at, number }),
    appEnvId,
    timestamp: new Date(Number(at / 1_000_000n)).toISOString(),
    stream: isError ? ('stderr' as const) : ('stdout' as const),
    containerName: container?.name ?? '',
    contentId: container?.contentId ?? '',
    message,
    isPartial,
    // Of a managed service, it also reads off a line that was collected before levels were.
    level: numberedLevel(level) ?? (format ? levelOf(format, message) : null),
    text: undefined as LogLine['text'],
    fields: undefined as LogLine['fields'],
  }
}

/** With what a line of JSON or logfmt says. */
export function parsedRecord(record: LogRecord): LogRecord {
  const line = record.isPartial ? null : structuredLine(record.message)
  return Object.assign(record, { text: line?.text ?? null, fields: line?.fields ?? null })
}
