import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/storage/database/client.ts'
import type { ApiProcess } from '../support/api-process.ts'
import { follow, type Goodbyes } from './followers.ts'
import { loadHttp, loadSocket, noOutcomes } from './load.ts'

const CONNECTIONS = 6

export interface ShutdownReport {
  code: number | null
  ms: number
  answered: number
  refused: number
  goodbyes: Goodbyes
  socketCodes: number[]
  /** In words; none when everything is as it should be. */
  problems: string[]
}

interface ShutdownOptions {
  running: ApiProcess
  database: Database
  subscriptions: number
  /** Requests that are answered before the signal is sent. */
  answersFirst: number
}

/**
 * Ends a process by SIGTERM in the middle of reads, writes and live subscriptions. Afterwards everything that the
 * database holds must have been answered for, and every subscription must have got the reason why it ended.
 */
export async function proveShutdown({
  running,
  database,
  subscriptions,
  answersFirst,
}: ShutdownOptions): Promise<ShutdownReport> {
  const { url, token } = running
  const { id: accountId } = await database.account.findFirstOrThrow({ orderBy: { id: 'asc' } })
  const { goodbyes } = await follow({ url, token, accountId }, subscriptions)
  const outcomes = noOutcomes()
  let isStopping = false
  const load = { url, token, accountId, outcomes, isStopping: () => isStopping }
  const numbers = Array.from({ length: CONNECTIONS }, (_, number) => number)
  const sockets = numbers.map((number) => loadSocket(load, number))
  const loading = numbers.flatMap((number) => [loadHttp(load, 'rest', number), loadHttp(load, 'graphql', number)])
  while (outcomes.answered < answersFirst && outcomes.unexpected.length === 0) await sleep(20)
  isStopping = true
  const { code, ms } = await running.end('SIGTERM')
  await Promise.all(loading)
  const socketCodes = await Promise.all(sockets)

  const problems = [...outcomes.unexpected, ...outcomes.cut.map((name) => `The answer to ${name} was cut`)]
  const apps = await database.app.findMany({ where: { accountId }, select: { name: true } })
  const done = new Set(apps.map(({ name }) => name))
  for (const name of done) {
    if (/^(rest|graphql|socket) \d/.test(name) && !outcomes.created.has(name))
      problems.push(`The answer to ${name} was lost`)
  }
  for (const [name, answer] of outcomes.created) {
    if (!done.has(name)) problems.push(`${name} was answered with ${answer.slice(0, 300)} and is not there`)
  }
  const received = await goodbyes
  const { answered, refused } = outcomes
  return { code, ms, answered, refused: refused.length, goodbyes: received, socketCodes, problems }
}
