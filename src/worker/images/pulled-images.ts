import type { Database } from '../../database/client.ts'

/** Records that an account was given an image by its registry: from now on, the engine's copy serves it. */
export const recordPull = (database: Database, accountId: string, imageId: string): Promise<number> =>
  database.$executeRaw`
    INSERT INTO pulled_image (account_id, image_id) VALUES (${accountId}, ${imageId})
    ON CONFLICT (account_id, image_id) DO UPDATE SET pulled_at = now()`

export const wasPulledBy = async (database: Database, accountId: string, imageId: string): Promise<boolean> =>
  (await database.pulledImage.count({ where: { accountId, imageId } })) > 0
