import { Gauge, type Registry } from 'prom-client'
import type { PartState } from '../domain/part-states.ts'
import { engineName } from '../worker/scope/engine-scope.ts'
import type { Worker } from '../worker/worker.ts'

type Task = Worker['tasks'][number]

/** Fewer in a row are a passing trouble. */
const FAILURES_REPORTED = 3
const MAX_REASON = 300
/** Prisma’s own messages have what it was called with. */
const quotesCall = (message: string): boolean => message.includes('Invalid `') && message.includes(' invocation')

/** What `/readyz` says of the periodic tasks. Messages about the engine of a region may hold its address: they are in the log. */
export function taskPart(tasks: readonly Task[]): PartState {
  const wrong = tasks.filter(({ failures, isOverdue }) => failures >= FAILURES_REPORTED || isOverdue)
  const details = tasks.map((task) => ({
    name: task.name,
    engine: task.engine?.regionCode ?? null,
    lastEndedAt: task.lastEndedAt?.toISOString() ?? null,
    failures: task.failures,
    error: errorOf(task),
  }))
  if (wrong.length === 0) return { ready: true, reason: null, details }
  const words = wrong.map((task) => {
    const where = task.engine === null ? '' : ` on ${engineName(task.engine)}`
    const what = task.isOverdue ? 'does not end' : `failed ${task.failures} times in a row: ${errorOf(task)}`
    return `${task.name}${where} ${what}`
  })
  return { ready: false, state: 'TASKS_FAILING', reason: words.join('; ').slice(0, MAX_REASON), details }
}

const errorOf = ({ error, engine }: Task): string | null =>
  error === null || (engine === null && !quotesCall(error))
    ? (error?.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON) ?? null)
    : 'see the log'

/** The same for alerts. A task that has not ended yet has no time. */
export function registerTaskMetrics(registry: Registry, worker: Pick<Worker, 'tasks'>): void {
  const labelNames = ['task', 'engine'] as const
  const gauge = (name: string, help: string, read: (task: Task) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const task of worker.tasks) {
          const value = read(task)
          if (value !== null) this.set({ task: task.name, engine: task.engine?.regionCode ?? '' }, value)
        }
      },
    })
  gauge(
    'berth_task_last_end_timestamp_seconds',
    'When the last run of a periodic task of the worker ended, in seconds since 1970.',
    ({ lastEndedAt }) => (lastEndedAt ? lastEndedAt.getTime() / 1000 : null),
  )
  gauge(
    'berth_task_failures',
    'Runs in a row of a periodic task that failed, the last one included; 0 when it succeeded.',
    ({ failures }) => failures,
  )
}
