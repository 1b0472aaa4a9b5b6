-- AlterTable
ALTER TABLE "public"."backup" ADD COLUMN     "archive_id" TEXT,
ADD COLUMN     "consistent_piece" INTEGER,
ADD COLUMN     "first_piece" INTEGER,
ADD COLUMN     "is_base" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "restorable_from" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "public"."operation" ADD COLUMN     "point_in_time" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "public"."log_archive" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "volume_id" TEXT NOT NULL,
    "preset_version" TEXT NOT NULL,
    "storage_credential_id" TEXT,
    "next_segment" BIGINT,
    "mark" TEXT NOT NULL DEFAULT '',
    "last_piece" INTEGER NOT NULL DEFAULT 0,
    "until" TIMESTAMPTZ(3),
    "collected_at" TIMESTAMPTZ(3),
    "message" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "is_kept" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_archive_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."log_piece" (
    "id" TEXT NOT NULL,
    "archive_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "status" "public"."BackupStatus" NOT NULL DEFAULT 'CREATING',
    "until" TIMESTAMPTZ(3),
    "file" TEXT NOT NULL,
    "unfinished" TEXT,
    "sealed_key" TEXT,
    "size_bytes" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_piece_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "log_archive_account_id_idx" ON "public"."log_archive"("account_id" ASC);

-- CreateIndex
CREATE INDEX "log_archive_app_env_id_id_idx" ON "public"."log_archive"("app_env_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "log_archive_volume_id_idx" ON "public"."log_archive"("volume_id" ASC);

-- CreateIndex
CREATE INDEX "log_piece_archive_id_number_idx" ON "public"."log_piece"("archive_id" ASC, "number" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "log_piece_number_whole" ON "public"."log_piece"("archive_id" ASC, "number" ASC) WHERE (status = 'AVAILABLE');

-- CreateIndex
CREATE INDEX "log_piece_status_idx" ON "public"."log_piece"("status" ASC);

-- CreateIndex
CREATE INDEX "backup_archive_id_idx" ON "public"."backup"("archive_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."backup" ADD CONSTRAINT "backup_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "public"."log_archive"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."log_archive" ADD CONSTRAINT "log_archive_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."log_piece" ADD CONSTRAINT "log_piece_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "public"."log_archive"("id") ON DELETE CASCADE ON UPDATE CASCADE;
