-- AlterTable
ALTER TABLE "public"."pulled_image" ADD COLUMN     "is_ours" BOOLEAN NOT NULL DEFAULT false;
