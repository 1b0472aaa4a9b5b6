-- CreateEnum
CREATE TYPE "public"."WebhookDeliveryStatus" AS ENUM ('PENDING', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "public"."WebhookKind" AS ENUM ('WEBHOOK', 'SLACK', 'DISCORD', 'EMAIL');

-- CreateTable
CREATE TABLE "public"."webhook" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" "public"."WebhookKind" NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "former_secret_until" TIMESTAMPTZ(3),
    "read_sequence" BIGINT NOT NULL,
    "is_full" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "served_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."webhook_delivery" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_type" TEXT NOT NULL,
    "app_env_id" TEXT,
    "lane" TEXT NOT NULL,
    "status" "public"."WebhookDeliveryStatus" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_attempt_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "answer_status" INTEGER,
    "answer" TEXT,
    "error" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_account_id_id_idx" ON "public"."webhook"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "webhook_delivery_waiting" ON "public"."webhook_delivery"("webhook_id" ASC, "lane" ASC, "sequence" ASC);

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_id_idx" ON "public"."webhook_delivery"("webhook_id" ASC, "id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_webhook_id_sequence_key" ON "public"."webhook_delivery"("webhook_id" ASC, "sequence" ASC);

-- AddForeignKey
ALTER TABLE "public"."webhook" ADD CONSTRAINT "webhook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
