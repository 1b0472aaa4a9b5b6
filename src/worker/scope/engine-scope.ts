import { engineKeyOf } from '../../domain/engine-key.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'

/** A region that has a container engine to itself. */
export interface RegionEngine {
  regionCode: string
  /** Its address. */
  engine: string
}

/**
 * Which environments a container engine runs: those of the region that has it to itself, or, null, those of all regions
 * that have none of their own. An environment never changes its region, and a region with environments never its engine.
 */
export type EngineScope = RegionEngine | null

export const INSTALLATION_ENGINE: EngineScope = null

/** Whether a region, by the column that has its code, is the engine's. A former engine of a region has none. */
export const isOnEngine = (column: Prisma.Sql, scope: EngineScope): Prisma.Sql =>
  scope === null
    ? Prisma.sql`${column} IN (SELECT code FROM region WHERE engine IS NULL)`
    : Prisma.sql`${column} IN (SELECT code FROM region WHERE code = ${scope.regionCode} AND engine = ${scope.engine})`

/** The same, for a `where` of rows that have a region. */
export const onEngine = (scope: EngineScope) =>
  scope === null ? { region: { engine: null } } : { region: { code: scope.regionCode, engine: scope.engine } }

/** Key of the engine in the database. */
export const engineKey = (scope: EngineScope): string =>
  engineKeyOf(scope && { code: scope.regionCode, engine: scope.engine })

/** As people know it. */
export const engineName = (scope: EngineScope): string =>
  scope === null ? 'The container engine' : `The container engine of the region ${scope.regionCode}`
