-- AlterEnum
ALTER TYPE "public"."UsageKind" ADD VALUE 'BUILD' BEFORE 'VOLUME';

-- AlterTable
ALTER TABLE "public"."plan" ADD COLUMN     "build_minute_price" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "max_build_minutes" INTEGER NOT NULL DEFAULT 1000000;

-- AlterTable
ALTER TABLE "public"."usage_price" ADD COLUMN     "build_minute_price" INTEGER NOT NULL DEFAULT 0;
