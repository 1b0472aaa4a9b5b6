import type { ResolvedImage } from '../../engines/images/image-builder.ts'
import type { Database } from '../../storage/database/client.ts'

/**
 * Records that an account was given an image by its registry: from now on, the engine's copy serves it. The image is
 * Berth's to remove if the engine did not have it before the first of these pulls.
 */
export const recordPull = (
  database: Database,
  accountId: string,
  engineKey: string,
  { imageId, isNew }: Pick<ResolvedImage, 'imageId' | 'isNew'>,
): Promise<number> =>
  database.$executeRaw`
    INSERT INTO pulled_image AS known (account_id, image_id, engine_key, is_ours)
    VALUES (${accountId}, ${imageId}, ${engineKey}, ${isNew} OR EXISTS (
      SELECT 1 FROM pulled_image WHERE image_id = ${imageId} AND engine_key = ${engineKey} AND is_ours))
    ON CONFLICT (account_id, image_id, engine_key) DO UPDATE SET pulled_at = now(), is_ours = known.is_ours OR excluded.is_ours`

/** Whom a registry gave an image, on an engine; deleted accounts among them. */
export async function accountsThatPulled(database: Database, engineKey: string, imageId: string): Promise<string[]> {
  const records = await database.pulledImage.findMany({ where: { imageId, engineKey }, select: { accountId: true } })
  return records.map(({ accountId }) => accountId)
}
