import type { Logger } from 'pino'
import { listen } from '../database/listen.ts'

/** Wakes readers of an event sequence. A wake-up says only that there may be something to read. */
export interface Wakeups {
  /** Calls back on every notification for the event sequence, and after a lost session. Returns how to stop. */
  on(eventSequenceId: string, wake: () => void): () => void
  /**
   * Resolves at the next notification for the event sequence, after the time, or when the signal fires; never rejects.
   */
  next(eventSequenceId: string, withinMs: number, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export function createWakeups({ url, log }: { url: string; log: Logger }): Wakeups {
  const waiting = new Map<string, Set<() => void>>()
  const wakeAll = (eventSequenceIds: Iterable<string>) => {
    for (const eventSequenceId of eventSequenceIds) for (const wake of [...(waiting.get(eventSequenceId) ?? [])]) wake()
  }
  const listening = listen({
    url,
    log,
    channels: ['berth_events', 'berth_logs'],
    onNotification: (_channel, payload) => wakeAll([payload.slice(0, payload.lastIndexOf(':'))]),
    onConnect: () => wakeAll(waiting.keys()),
  })

  const on = (eventSequenceId: string, wake: () => void): (() => void) => {
    const set = waiting.get(eventSequenceId) ?? new Set()
    waiting.set(eventSequenceId, set.add(wake))
    return () => {
      set.delete(wake)
      if (set.size === 0 && waiting.get(eventSequenceId) === set) waiting.delete(eventSequenceId)
    }
  }

  return {
    on,
    next: (eventSequenceId, withinMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          stop()
          clearTimeout(timer)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        const stop = on(eventSequenceId, done)
        const timer = setTimeout(done, withinMs)
        if (signal?.aborted) done()
        else signal?.addEventListener('abort', done, { once: true })
      }),
    close: () => listening.close(),
  }
}
