import { Prisma } from './generated/prisma/client.ts'

/** A value for a nullable JSON column: SQL NULL for null, rather than a JSON `null`. */
export const jsonOrNull = (value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  value === undefined || value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue)
