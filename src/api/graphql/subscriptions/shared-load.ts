import type { RecordedEvent } from '../../../storage/events/event.ts'

const loads = new WeakMap<RecordedEvent, Map<string, Promise<unknown>>>()

/**
 * Loads an event's data once for all subscribers that ask for the same columns: ten thousand subscribers do not cost
 * ten thousand queries. The caller of this function has checked permission before.
 */
export function loadOnce<T>(
  event: RecordedEvent | null,
  key: string,
  query: object,
  load: () => Promise<T>,
): Promise<T> {
  if (!event) return load()
  const known = loads.get(event) ?? new Map<string, Promise<unknown>>()
  loads.set(event, known)
  const full = `${key} ${JSON.stringify(query)}`
  const shared = known.get(full) as Promise<T> | undefined
  if (shared) return shared
  const loading = load()
  known.set(full, loading)
  return loading
}
