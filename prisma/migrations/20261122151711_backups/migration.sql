-- CreateEnum
CREATE TYPE "public"."BackupKind" AS ENUM ('MANUAL', 'SCHEDULED', 'BEFORE_RESTORE');

-- CreateEnum
CREATE TYPE "public"."BackupStatus" AS ENUM ('CREATING', 'AVAILABLE', 'FAILED', 'DELETING');

-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "public"."OperationKind" ADD VALUE 'BACKUP';
ALTER TYPE "public"."OperationKind" ADD VALUE 'RESTORE';
ALTER TYPE "public"."OperationKind" ADD VALUE 'VERIFY_BACKUP';

-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "backup_schedule" JSONB,
ADD COLUMN     "next_backup_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "public"."operation" ADD COLUMN     "backup_id" TEXT;

-- AlterTable
ALTER TABLE "public"."volume" ADD COLUMN     "operation_id" TEXT;

-- CreateTable
CREATE TABLE "public"."backup" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cli_env_name" TEXT NOT NULL,
    "kind" "public"."BackupKind" NOT NULL,
    "status" "public"."BackupStatus" NOT NULL DEFAULT 'CREATING',
    "preset_version" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "storage_credential_id" TEXT,
    "file" TEXT,
    "unfinished" TEXT,
    "has_leftovers" BOOLEAN NOT NULL DEFAULT true,
    "sealed_key" TEXT,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "message" TEXT,
    "verified_at" TIMESTAMPTZ(3),
    "verify_message" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "backup_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "backup_account_id_id_idx" ON "public"."backup"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "backup_app_env_id_id_idx" ON "public"."backup"("app_env_id" ASC, "id" ASC);

-- AddForeignKey
ALTER TABLE "public"."backup" ADD CONSTRAINT "backup_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."operation" ADD CONSTRAINT "operation_backup_id_fkey" FOREIGN KEY ("backup_id") REFERENCES "public"."backup"("id") ON DELETE SET NULL ON UPDATE CASCADE;
