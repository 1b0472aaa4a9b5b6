-- AlterTable
ALTER TABLE "public"."app_env" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "lease_expires_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."commit_status" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."job_run" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "lease_expires_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."log_stream" ALTER COLUMN "lease_expires_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."operation" ALTER COLUMN "not_before" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."replica" ALTER COLUMN "drain_until" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."webhook" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "lease_expires_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "public"."webhook_delivery" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);
