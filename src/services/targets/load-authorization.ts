import { notFound } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'

export async function lockAuthorization(tx: Transaction, authorizationId: string) {
  await tx.$queryRaw`SELECT 1 FROM oauth_authorization WHERE id = ${authorizationId} FOR UPDATE`
  const authorization = await tx.authorization.findUnique({
    where: { id: authorizationId },
    include: { client: { select: { id: true, name: true } } },
  })
  if (!authorization) throw notFound('authorization', authorizationId)
  return authorization
}
