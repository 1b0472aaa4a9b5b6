import type { Logger } from 'pino'
import { listen } from '../database/listen.ts'

/** Wakes whoever waits for events of a ledger. A wake-up says only "look now", never what there is to see. */
export interface Wakeups {
  /** Calls back on every hint about the ledger, and after a lost session. Returns how to stop. */
  on(ledgerId: string, wake: () => void): () => void
  /** Resolves at the next hint about the ledger, after the time, or when the signal fires; never rejects. */
  next(ledgerId: string, withinMs: number, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export function createWakeups({ url, log }: { url: string; log: Logger }): Wakeups {
  const waiting = new Map<string, Set<() => void>>()
  const wakeAll = (ledgerIds: Iterable<string>) => {
    for (const ledgerId of ledgerIds) for (const wake of [...(waiting.get(ledgerId) ?? [])]) wake()
  }
  const listening = listen({
    url,
    log,
    channels: ['berth_events', 'berth_logs'],
    onHint: (_channel, payload) => wakeAll([payload.slice(0, payload.lastIndexOf(':'))]),
    onConnect: () => wakeAll(waiting.keys()),
  })

  const on = (ledgerId: string, wake: () => void): (() => void) => {
    const set = waiting.get(ledgerId) ?? new Set()
    waiting.set(ledgerId, set.add(wake))
    return () => {
      set.delete(wake)
      if (set.size === 0 && waiting.get(ledgerId) === set) waiting.delete(ledgerId)
    }
  }

  return {
    on,
    next: (ledgerId, withinMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          stop()
          clearTimeout(timer)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        const stop = on(ledgerId, done)
        const timer = setTimeout(done, withinMs)
        if (signal?.aborted) done()
        else signal?.addEventListener('abort', done, { once: true })
      }),
    close: () => listening.close(),
  }
}
