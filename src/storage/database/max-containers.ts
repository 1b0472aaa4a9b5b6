import { Prisma } from './generated/prisma/client.ts'

/** Of a row of `app_env`: the containers that it may have at a time, configured or by autoscaling. */
export const MAX_CONTAINERS = Prisma.sql`
  greatest(containers, CASE WHEN auto_scaling ->> 'enabled' = 'true' THEN (auto_scaling ->> 'max')::int ELSE 0 END)`
