-- AlterTable
ALTER TABLE "public"."app" ADD COLUMN     "health_check" JSONB;
