import { Prisma } from '../database/generated/prisma/client.ts'

/** Of variables `v` and environments `e`: variables whose values refer to an environment of the account, by its CLI name. */
export const refersTo = (accountId: string, cliEnvName: string): Prisma.Sql =>
  Prisma.sql`e.id = v.app_env_id AND e.account_id = ${accountId} AND v."references" @> ARRAY[${cliEnvName}]`
