import { type DatabaseFault, databaseFault } from '../../storage/database/away.ts'
import { isEngineAway } from './engine-health.ts'

/** Of the database as a whole. A statement that takes too long, or lacks a right, is the task’s own trouble. */
const OF_DATABASE: ReadonlySet<DatabaseFault | null> = new Set<DatabaseFault | null>([
  'DATABASE_UNREACHABLE',
  'DATABASE_REFUSES',
  'DATABASE_EXHAUSTED',
  'DATABASE_FULL',
  'DATABASE_READ_ONLY',
])

/** Whether work failed because the engine or the database is away, each of which is a part of its own in `/readyz`. */
export const isAway = (error: unknown): boolean => isEngineAway(error) || OF_DATABASE.has(databaseFault(error))
