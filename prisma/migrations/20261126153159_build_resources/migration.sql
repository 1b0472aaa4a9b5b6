-- AlterTable
ALTER TABLE "public"."app" ADD COLUMN     "build_resources" JSONB;

-- AlterTable
ALTER TABLE "public"."plan" ADD COLUMN     "build_resources" JSONB,
ADD COLUMN     "max_build_resources" JSONB;
