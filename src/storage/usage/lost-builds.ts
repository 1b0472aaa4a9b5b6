import type { Database } from '../database/client.ts'

/** Workers report regularly that they still build; after this many missed reports, the build is lost. */
const SILENT_TIMES = 5

/** Ends builds whose worker was killed: they count until it last said that it builds. */
export const endLostBuilds = (database: Pick<Database, '$executeRaw'>, everySeconds: number) =>
  database.$executeRaw`
    UPDATE usage_interval SET has_ended = true
    WHERE kind = 'BUILD' AND NOT has_ended AND until < now() - make_interval(secs => ${everySeconds * SILENT_TIMES}::float8)`
