const SIGHTINGS_BEFORE_NAME = 5
const MAX_NAMES = 200
const MAX_CANDIDATES = 2_000

/** No name: the statement is parsed and planned for this execution only. */
const UNNAMED = ''

/**
 * Names frequent statements, so that PostgreSQL parses and plans them once per connection; for short queries that is
 * most of their time. Bounded, because each name costs memory on every connection, and lists of different lengths are
 * different statements.
 */
export function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  const sightings = new Map<string, number>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known) return known
    if (names.size >= MAX_NAMES) return UNNAMED
    const times = (sightings.get(sql) ?? 0) + 1
    if (times >= SIGHTINGS_BEFORE_NAME) {
      sightings.delete(sql)
      names.set(sql, `berth_${names.size}`)
      return names.get(sql) ?? UNNAMED
    }
    if (sightings.size >= MAX_CANDIDATES) sightings.clear()
    sightings.set(sql, times)
    return UNNAMED
  }
}
