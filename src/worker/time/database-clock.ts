/**
 * The database's time without another query: its clock at the last query, plus what the monotonic clock has counted
 * since.
 */
export interface DatabaseClock {
  now(): Date
}

export function databaseClock(databaseNow: Date): DatabaseClock {
  const askedAt = performance.now()
  return { now: () => new Date(databaseNow.getTime() + performance.now() - askedAt) }
}
