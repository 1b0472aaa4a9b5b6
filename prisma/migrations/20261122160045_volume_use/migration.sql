-- AlterTable
ALTER TABLE "public"."volume" ADD COLUMN     "full_percent" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "used_mb" INTEGER;
