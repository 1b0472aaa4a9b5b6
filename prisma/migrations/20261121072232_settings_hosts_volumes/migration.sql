-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "auto_scaling" JSONB,
ADD COLUMN     "cpu" DOUBLE PRECISION,
ADD COLUMN     "health_check" JSONB,
ADD COLUMN     "last_restart_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_restart_reason" TEXT,
ADD COLUMN     "memory_mb" INTEGER,
ADD COLUMN     "restart_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "volume_id" TEXT;

-- AlterTable
ALTER TABLE "public"."host" ADD COLUMN     "check_at" TIMESTAMPTZ(3),
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "reason" TEXT,
ADD COLUMN     "was_valid" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "public"."released_host" (
    "host" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "released_host_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "public"."volume" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cli_env_name" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "disk_mb" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "volume_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "volume_account_id_id_idx" ON "public"."volume"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "app_env_volume_id_key" ON "public"."app_env"("volume_id" ASC);

-- CreateIndex
CREATE INDEX "host_check_at_idx" ON "public"."host"("check_at" ASC);

-- AddForeignKey
ALTER TABLE "public"."app_env" ADD CONSTRAINT "app_env_volume_id_fkey" FOREIGN KEY ("volume_id") REFERENCES "public"."volume"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."volume" ADD CONSTRAINT "volume_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
