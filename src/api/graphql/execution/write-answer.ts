import type { ExecutionResult } from 'graphql'
import { RowText } from '../../../storage/database/reads/row-text.ts'

/** Answers with rows that the database has written. */
export const haveTexts = new WeakSet<object>()

/** What JSON.stringify writes. Rows that are JSON text already are copied. */
export const writeAnswer = (result: ExecutionResult): string =>
  haveTexts.has(result) ? (write(result) ?? 'null') : JSON.stringify(result)

function write(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof RowText) return value.json
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join(',')}]`
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return JSON.stringify(value)
  let members = ''
  for (const name of Object.keys(value)) {
    const written = write((value as Record<string, unknown>)[name])
    if (written !== undefined) members += `${members && ','}${JSON.stringify(name)}:${written}`
  }
  return `{${members}}`
}
