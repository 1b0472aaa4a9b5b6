import type { Database, Transaction } from '../../storage/database/client.ts'
import { sealedWith } from '../../storage/secrets/keys.ts'
import type { Rotation } from './rotation.ts'

/** What makes people's codes for signing in, which belongs to no account. */
export async function resealCodeSecrets(tx: Transaction, { old, next, to }: Rotation): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM code_generator FOR UPDATE`
  for (const { userId, sealedSecret } of await tx.codeGenerator.findMany()) {
    if (sealedWith(sealedSecret) === to.id) continue
    const sealed = next.sealCodeSecret(userId, old.openCodeSecret(userId, sealedSecret))
    await tx.codeGenerator.update({ where: { userId }, data: { sealedSecret: sealed } })
  }
}

/** Opens each with the new key; returns how many there are. */
export async function checkCodeSecrets(database: Database, { next }: Rotation): Promise<number> {
  const generators = await database.codeGenerator.findMany()
  for (const { userId, sealedSecret } of generators) next.openCodeSecret(userId, sealedSecret)
  return generators.length
}
