import { expect, test } from 'vitest'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import type { LogLine } from '../../../src/engines/runtime/container-runtime.ts'
import type { Container } from '../../../src/storage/database/generated/prisma/client.ts'
import { ContainerOutput } from '../../../src/worker/logs/container-output.ts'
import type { LogStreamLine } from '../../../src/worker/logs/log-stream.ts'

const ROW = {
  id: 1,
  containerId: 'c1',
  stdoutAt: 0n,
  stdoutCount: 0,
  stderrAt: 0n,
  stderrCount: 0,
  capMinute: 0n,
  capUsed: 0,
  dropped: 0,
} as Container

/** What is kept of each line, of an app or of a managed service. */
function kept(messages: readonly string[], preset?: string, more: Partial<LogLine> = {}) {
  const output = new ContainerOutput(ROW, 1_000, preset ? findEngine(preset)?.logs : undefined)
  const lines: LogStreamLine[] = []
  for (const [at, message] of messages.entries()) {
    const line: LogLine = { stream: 'stdout', nanoseconds: BigInt(at), timestamp: new Date(0), message }
    output.take(Object.assign(line, more), (one) => lines.push(one))
  }
  return lines.map(({ message, level }) => [message, level])
}

test('a line is collected with the level that it names, and kept as it was', () => {
  const json = '{"level":"error","msg":"x"}'
  const logfmt = 'level=warn msg=x'
  expect(kept([json, logfmt, 'ERROR: prose'])).toEqual([
    [json, 'ERROR'],
    [logfmt, 'WARNING'],
    ['ERROR: prose', null],
  ])
})

test('a managed service names its levels as its engine writes them', () => {
  const line = '2026-11-20 09:30:00.000 UTC [1] FATAL:  the database system is starting up'
  expect(kept([line], 'POSTGRESQL')).toEqual([[line, 'FATAL']])
})

test('a piece of a line that is too long names none', () => {
  expect(kept(['{"level":"error"}'], undefined, { isPartial: true })).toEqual([['{"level":"error"}', null]])
})
