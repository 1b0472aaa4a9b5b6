import type { Transaction } from '../storage/database/client.ts'
import { Prisma } from '../storage/database/generated/prisma/client.ts'

/**
 * Revokes the tokens that a condition on `token` names, and all that were made with them, however indirectly, as are
 * open invitations. Returns how many tokens. Each round sees tokens that were made while the round before waited for their makers.
 */
export async function revokeTokens(tx: Transaction, condition: Prisma.Sql): Promise<number> {
  let revoked = 0
  for (;;) {
    const count = await tx.$executeRaw`
      WITH RECURSIVE ended AS (
        SELECT id FROM token WHERE ${condition}
        UNION SELECT t.id FROM token t JOIN ended ON t.parent_id = ended.id
      )
      , void AS (
        UPDATE invitation SET revoked_at = now() FROM ended
        WHERE token_id = ended.id AND accepted_at IS NULL AND revoked_at IS NULL
      )
      UPDATE token SET revoked_at = now() FROM ended WHERE token.id = ended.id AND token.revoked_at IS NULL`
    if (count === 0) return revoked
    revoked += count
  }
}

export const tokenWithId = (tokenId: string): Prisma.Sql => Prisma.sql`id = ${tokenId}`
