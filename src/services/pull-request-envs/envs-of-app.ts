import type { Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'

/** The environment of a pull request, where it has one. */
export const envOfPullRequest = (number: number) =>
  ({ deletedAt: null, pullRequest: { path: ['number'], equals: number } }) satisfies Prisma.AppEnvWhereInput

/** One at most, while the app is locked. */
export const findEnv = (tx: Transaction, appId: string, number: number) =>
  tx.appEnv.findFirst({ where: { appId, ...envOfPullRequest(number) }, select: { id: true } })

/** Pull requests of the app that have one. */
export const countEnvs = (tx: Transaction, appId: string): Promise<number> =>
  tx.appEnv.count({ where: { appId, deletedAt: null, pullRequest: { not: Prisma.DbNull } } })
