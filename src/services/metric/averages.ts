import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { MetricSplit } from './metric-fields.ts'

export interface AveragedRange {
  from: Date
  to: Date
  /** Length of a step. */
  seconds: number
}

export interface Average {
  at: Date
  value: number
}

/** Of one metric, and of one version or container where it is split. */
export interface SplitAverage extends Average {
  metric: string
  contentId: string | null
  containerName: string | null
}

/** Of each statement, and of an answer: all series together. */
export const MAX_ALL_POINTS = 30_000

const NOTHING = Prisma.sql`NULL::text`

/** Two columns that tell series apart, of rows with `content_id` and `container_name`. */
export const splitColumns = (by: MetricSplit | null): Prisma.Sql => Prisma.sql`
  ${by ? Prisma.sql`nullif(content_id, '')` : NOTHING} AS "contentId",
  ${by === 'container' ? Prisma.sql`nullif(container_name, '')` : NOTHING} AS "containerName"`
