-- AlterTable
ALTER TABLE "public"."wake" ADD COLUMN     "announced_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "public"."request_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "source" TEXT NOT NULL,
    "invocations" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "queued_ms" BIGINT NOT NULL DEFAULT 0,
    "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "cold_frozen" INTEGER NOT NULL DEFAULT 0,
    "cold_stopped" INTEGER NOT NULL DEFAULT 0,
    "cold_none" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "request_sample_pkey" PRIMARY KEY ("app_env_id","at","source")
);

