-- AlterTable
ALTER TABLE "public"."credential" ADD COLUMN     "checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "default_for" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "credential_account_id_default_for_key" ON "public"."credential"("account_id" ASC, "default_for" ASC);

-- CreateIndex
CREATE INDEX "app_image_pull_account_secret_id_idx" ON "public"."app"("image_pull_account_secret_id" ASC);

-- CreateIndex
CREATE INDEX "app_build_pull_account_secret_id_idx" ON "public"."app"("build_pull_account_secret_id" ASC);

-- CreateIndex
CREATE INDEX "backup_storage_credential_id_idx" ON "public"."backup"("storage_credential_id" ASC);
