-- CreateEnum
CREATE TYPE "public"."UsageKind" AS ENUM ('COMPUTE', 'FROZEN', 'JOB_RUN', 'VOLUME', 'BACKUP');

-- AlterTable
ALTER TABLE "public"."plan" ADD COLUMN     "backup_gb_month_price" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "frozen_gb_month_price" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "job_z_cloud_hour_price" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "volume_gb_month_price" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "z_cloud_hour_price" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "public"."usage_interval" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "env_name" TEXT NOT NULL,
    "kind" "public"."UsageKind" NOT NULL,
    "source_id" TEXT NOT NULL,
    "content_id" TEXT,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "amount" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "has_ended" BOOLEAN NOT NULL DEFAULT false,
    "restart_count" INTEGER NOT NULL DEFAULT 0,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_interval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."usage_account" (
    "account_id" TEXT NOT NULL,
    "open_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_account_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "public"."usage_price" (
    "account_id" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "z_cloud_hour_price" INTEGER NOT NULL,
    "job_z_cloud_hour_price" INTEGER NOT NULL,
    "frozen_gb_month_price" INTEGER NOT NULL,
    "volume_gb_month_price" INTEGER NOT NULL,
    "backup_gb_month_price" INTEGER NOT NULL,

    CONSTRAINT "usage_price_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "public"."usage_statement" (
    "account_id" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "lines" JSONB NOT NULL,
    "total" TEXT NOT NULL,
    "frozen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_statement_pkey" PRIMARY KEY ("account_id","month")
);

-- CreateTable
CREATE TABLE "public"."budget" (
    "account_id" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "public"."budget_alert" (
    "account_id" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "percent" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_alert_pkey" PRIMARY KEY ("account_id","month","percent")
);

-- CreateIndex
CREATE UNIQUE INDEX "usage_interval_one_open_per_source" ON "public"."usage_interval"("source_id") WHERE (NOT has_ended);

-- CreateIndex
CREATE INDEX "usage_interval_source_id_id_idx" ON "public"."usage_interval"("source_id", "id");

-- CreateIndex
CREATE INDEX "usage_interval_account_id_until_idx" ON "public"."usage_interval"("account_id", "until");

-- AddForeignKey
ALTER TABLE "public"."budget" ADD CONSTRAINT "budget_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What ran before it was metered is not charged: of what there is already, usage counts from now on.
INSERT INTO "public"."usage_account" ("account_id", "open_since") SELECT "id", now() FROM "public"."account";

-- A statement is written once, and an interval that has ended does not change, whoever asks.
CREATE FUNCTION "public"."refuse_usage_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Statements, and usage that has ended, cannot be changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "usage_statement_is_final" BEFORE UPDATE OR DELETE OR TRUNCATE ON "public"."usage_statement"
  FOR EACH STATEMENT EXECUTE FUNCTION "public"."refuse_usage_change"();

CREATE TRIGGER "usage_interval_is_append_only" BEFORE UPDATE ON "public"."usage_interval"
  FOR EACH ROW WHEN (OLD.has_ended) EXECUTE FUNCTION "public"."refuse_usage_change"();
