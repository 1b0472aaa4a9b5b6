-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN IF NOT EXISTS "auto_scaling" JSONB;
