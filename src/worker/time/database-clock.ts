/** The database's time without asking it again: its clock when last asked, and what the monotonic clock counted since. */
export interface DatabaseClock {
  now(): Date
}

export function databaseClock(databaseNow: Date): DatabaseClock {
  const askedAt = performance.now()
  return { now: () => new Date(databaseNow.getTime() + performance.now() - askedAt) }
}
