import type { z } from 'zod'

export type AppTypeName = 'APP' | 'SERVICE' | 'FUNCTION' | 'JOB'

/** Everything in which the four app types differ. Nothing outside this folder asks for a type by name. */
export interface AppType {
  name: AppTypeName
  /** What people call it, in messages. */
  title: string
  requiresPort: boolean
  /** What its output is called in `GET /logs`. */
  logType: 'WEB_APP' | 'DATABASE' | 'FUNCTION' | 'JOB'
  /** Gets an automatic host, and traffic. */
  hasHosts: boolean
  /** May run an image without useImage (§4.1 rule 1). */
  alwaysAcceptsImage: boolean
  /** May keep data that outlives its containers. */
  hasVolume: boolean
  /** Needs the plan and the region to include functions. */
  needsFunctions: boolean
  /** The object field that configures it, if it has one. */
  config: { field: 'jobConfig' | 'functionConfig'; schema: z.ZodObject } | null
}
