-- CreateEnum
CREATE TYPE "public"."SleepDepth" AS ENUM ('FROZEN', 'STOPPED', 'NONE');

-- AlterEnum
ALTER TYPE "public"."ReplicaState" ADD VALUE 'ASLEEP';

-- AlterTable
ALTER TABLE "public"."account" ADD COLUMN     "allow_functions" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE UNLOGGED TABLE "public"."ingress_session" (
    "id" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ingress_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "public"."request_load" (
    "ingress_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "in_flight" INTEGER NOT NULL,
    "waiting" INTEGER NOT NULL,
    "peak" INTEGER NOT NULL,
    "by_replica" JSONB NOT NULL,
    "revision" INTEGER NOT NULL,
    "active_at" TIMESTAMPTZ(3),
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_load_pkey" PRIMARY KEY ("ingress_id","app_env_id")
);

-- CreateTable
CREATE TABLE "public"."request_scaling" (
    "app_env_id" TEXT NOT NULL,
    "min_scale" INTEGER NOT NULL,
    "max_scale" INTEGER NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "idle_seconds" INTEGER NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "depth" "public"."SleepDepth",
    "depth_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "depth_reason" TEXT,
    "asleep_since" TIMESTAMPTZ(3),
    "memory_mb" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "retry_at" TIMESTAMPTZ(3),
    "pause_seconds" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "request_scaling_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE TABLE "public"."wake" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "depth" "public"."SleepDepth" NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "held" INTEGER NOT NULL,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wake_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "request_load_app_env_id_idx" ON "public"."request_load"("app_env_id" ASC);

-- CreateIndex
CREATE INDEX "request_scaling_depth_depth_since_idx" ON "public"."request_scaling"("depth" ASC, "depth_since" ASC);

-- CreateIndex
CREATE INDEX "wake_app_env_id_created_at_idx" ON "public"."wake"("app_env_id" ASC, "created_at" ASC);

-- AddForeignKey
ALTER TABLE "public"."request_scaling" ADD CONSTRAINT "request_scaling_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."wake" ADD CONSTRAINT "wake_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;
