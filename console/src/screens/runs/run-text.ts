import { durationText } from '../../../../text/duration.ts'
import { shellWord } from '../../../../text/shell-word.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { JobRunState } from './documents.ts'

export type JobRun = ResultOf<typeof JobRunState>

export const isOpenRun = ({ status }: Pick<JobRun, 'status'>): boolean => status === 'QUEUED' || status === 'RUNNING'

export interface Command {
  command: string | null
  args: readonly string[] | null
  shell: boolean | null
}

/** As one would type it. A command for the shell is one already; null: what the image runs by itself. */
export function commandText({ command, args, shell }: Command): string | null {
  const words = (args ?? []).map(shellWord)
  if (command === null) return words.length > 0 ? words.join(' ') : null
  return [shell ? command : shellWord(command), ...words].join(' ')
}

/** Who or what began it: `by ann`, `by the schedule`. */
export function causeOf({ trigger, requester }: Pick<JobRun, 'trigger' | 'requester'>): string {
  if (trigger === 'SCHEDULE') return 'by the schedule'
  const person = requester ? `by ${visibleText(requester.username)}` : 'by a token'
  return trigger === 'RELEASE' ? `before a release, ${person}` : person
}

/** `3rd in the queue`, `running for 12 s`, `4.2 s`. */
export function progressText(run: JobRun, present: number): string {
  const { queuePosition, startedAt, durationMs, status } = run
  if (queuePosition !== null) return `number ${queuePosition} in the queue`
  if (durationMs !== null) return durationText(durationMs)
  if (startedAt && status === 'RUNNING') return `for ${durationText(Math.max(0, present - Date.parse(startedAt)))}`
  return ''
}

/** One argument in each line; empty lines are none. */
export const argumentsOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
