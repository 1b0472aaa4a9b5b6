import type { World } from '../support/world.ts'

/** Resets a world to the moment after its installation, which is much quicker than creating another. */
export async function makeFresh({ database, accountId }: World): Promise<void> {
  await database.$transaction([
    database.$executeRaw`DELETE FROM idempotency_record`,
    database.$executeRaw`DELETE FROM event`,
    database.$executeRaw`DELETE FROM audit_entry`,
    database.$executeRaw`DELETE FROM event_sequence`,
    database.$executeRaw`DELETE FROM operation`,
    database.$executeRaw`UPDATE app_env SET current_content_id = NULL`,
    database.$executeRaw`DELETE FROM app_env`,
    database.$executeRaw`DELETE FROM volume`,
    database.$executeRaw`DELETE FROM released_host`,
    database.$executeRaw`DELETE FROM app`,
    database.$executeRaw`DELETE FROM credential`,
    database.$executeRaw`UPDATE "user" SET current_account_id = ${accountId} WHERE is_installation_admin`,
    database.$executeRaw`DELETE FROM "user" WHERE NOT is_installation_admin`,
    database.$executeRaw`DELETE FROM account WHERE id <> ${accountId}`,
    database.$executeRaw`DELETE FROM token WHERE name <> 'Installation admin token'`,
    database.$executeRaw`UPDATE account SET version = 1`,
  ])
}
