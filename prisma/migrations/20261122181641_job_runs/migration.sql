-- CreateEnum
CREATE TYPE "public"."JobRunStatus" AS ENUM ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED');

-- CreateEnum
CREATE TYPE "public"."JobRunTrigger" AS ENUM ('MANUAL', 'SCHEDULE', 'API');

-- AlterEnum
ALTER TYPE "public"."LogStreamKind" ADD VALUE 'RUNS';

-- CreateTable
CREATE TABLE "public"."job_attempt" (
    "run_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "container_name" TEXT NOT NULL,
    "container_id" TEXT,
    "stop_reason" TEXT,
    "engine_was_away" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "exit_code" INTEGER,
    "reason" TEXT,
    "message" TEXT,
    "remove_at" TIMESTAMPTZ(3),
    "container_removed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_attempt_pkey" PRIMARY KEY ("run_id","number")
);

-- CreateTable
CREATE TABLE "public"."job_run" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "content_version" INTEGER NOT NULL,
    "status" "public"."JobRunStatus" NOT NULL DEFAULT 'QUEUED',
    "trigger" "public"."JobRunTrigger" NOT NULL,
    "reason" TEXT,
    "message" TEXT,
    "snapshot" JSONB NOT NULL,
    "stdin" JSONB,
    "max_concurrency" INTEGER NOT NULL,
    "queue_number" BIGSERIAL NOT NULL,
    "cancel_reason" TEXT,
    "exit_code" INTEGER,
    "output" JSONB,
    "logs_truncated" BOOLEAN NOT NULL DEFAULT false,
    "retries_id" TEXT,
    "scheduled_for" TIMESTAMPTZ(3),
    "request_id" TEXT NOT NULL,
    "requested_by" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."job_schedule" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "catch_up" BOOLEAN NOT NULL DEFAULT true,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "next_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_schedule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "job_attempt_remove_at_idx" ON "public"."job_attempt"("remove_at" ASC);

-- CreateIndex
CREATE INDEX "job_run_app_env_id_id_idx" ON "public"."job_run"("app_env_id" ASC, "id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "job_run_app_env_id_scheduled_for_key" ON "public"."job_run"("app_env_id" ASC, "scheduled_for" ASC);

-- CreateIndex
CREATE INDEX "job_run_app_env_id_status_queue_number_idx" ON "public"."job_run"("app_env_id" ASC, "status" ASC, "queue_number" ASC);

-- CreateIndex
CREATE INDEX "job_run_status_due_at_idx" ON "public"."job_run"("status" ASC, "due_at" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "job_schedule_app_env_id_key" ON "public"."job_schedule"("app_env_id" ASC);

-- CreateIndex
CREATE INDEX "job_schedule_next_at_idx" ON "public"."job_schedule"("next_at" ASC);

-- AddForeignKey
ALTER TABLE "public"."job_attempt" ADD CONSTRAINT "job_attempt_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "public"."job_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."job_run" ADD CONSTRAINT "job_run_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."job_run" ADD CONSTRAINT "job_run_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "public"."content"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."job_schedule" ADD CONSTRAINT "job_schedule_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;
