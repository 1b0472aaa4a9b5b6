import type { Database } from '../database/client.ts'

/** Workers say so often that they still build; after this many times of silence, nobody does. */
const SILENT_TIMES = 5

/** Ends builds whose worker was killed: they count until it last said that it builds. */
export const endLostBuilds = (database: Pick<Database, '$executeRaw'>, everySeconds: number) =>
  database.$executeRaw`
    UPDATE usage_interval SET has_ended = true
    WHERE kind = 'BUILD' AND NOT has_ended AND until < now() - make_interval(secs => ${everySeconds * SILENT_TIMES}::float8)`
