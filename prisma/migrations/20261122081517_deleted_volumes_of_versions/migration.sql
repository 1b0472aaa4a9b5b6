-- AlterTable
ALTER TABLE "public"."content" ADD COLUMN     "volume_deleted" BOOLEAN NOT NULL DEFAULT false;

UPDATE "content" c SET "volume_deleted" = true
 WHERE c."configuration" -> 'volume' ->> 'id' IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM "volume" v WHERE v."id" = c."configuration" -> 'volume' ->> 'id' AND v."deleted_at" IS NULL);
