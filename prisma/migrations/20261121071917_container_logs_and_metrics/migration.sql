-- AlterTable
ALTER TABLE "public"."plan" ADD COLUMN     "log_days" INTEGER NOT NULL DEFAULT 7,
ADD COLUMN     "metric_days" INTEGER NOT NULL DEFAULT 30;

-- CreateTable
CREATE TABLE "public"."container" (
    "id" SERIAL NOT NULL,
    "container_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "phase" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "restart_count" INTEGER NOT NULL DEFAULT 0,
    "last_exit_code" INTEGER,
    "last_exit_out_of_memory" BOOLEAN NOT NULL DEFAULT false,
    "last_exit_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),
    "stdout_at" BIGINT NOT NULL DEFAULT 0,
    "stdout_count" INTEGER NOT NULL DEFAULT 0,
    "stderr_at" BIGINT NOT NULL DEFAULT 0,
    "stderr_count" INTEGER NOT NULL DEFAULT 0,
    "cap_minute" BIGINT NOT NULL DEFAULT 0,
    "cap_used" INTEGER NOT NULL DEFAULT 0,
    "dropped" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "container_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."log_book" (
    "id" SERIAL NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "last_number" BIGINT NOT NULL DEFAULT 0,
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_token" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "log_book_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."log_line" (
    "book_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "container_id" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "is_error" BOOLEAN NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "log_line_pkey" PRIMARY KEY ("book_id","number")
);

-- CreateTable
CREATE TABLE "public"."metric_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "container_id" INTEGER NOT NULL,
    "cpu_millicores" INTEGER NOT NULL,
    "memory_mb" INTEGER NOT NULL,
    "cpu_limit" INTEGER NOT NULL,
    "memory_limit" INTEGER NOT NULL,

    CONSTRAINT "metric_sample_pkey" PRIMARY KEY ("app_env_id","at","container_id")
);

-- CreateIndex
CREATE INDEX "container_app_env_id_idx" ON "public"."container"("app_env_id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "container_container_id_key" ON "public"."container"("container_id" ASC);

-- CreateIndex
CREATE INDEX "container_removed_at_idx" ON "public"."container"("removed_at" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "log_book_app_env_id_key" ON "public"."log_book"("app_env_id" ASC);

-- CreateIndex
CREATE INDEX "log_line_book_id_at_number_idx" ON "public"."log_line"("book_id" ASC, "at" ASC, "number" ASC);
