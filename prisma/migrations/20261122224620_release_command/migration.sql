-- AlterEnum
ALTER TYPE "public"."JobRunTrigger" ADD VALUE 'RELEASE';

-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "release_command" JSONB;

-- AlterTable
ALTER TABLE "public"."job_run" ADD COLUMN     "release_key" TEXT;

-- CreateIndex
CREATE INDEX "job_run_app_env_id_release_key_idx" ON "public"."job_run"("app_env_id" ASC, "release_key" ASC);

-- CreateIndex: a version is released once.
CREATE UNIQUE INDEX "job_run_one_release_per_content" ON "public"."job_run"("content_id") WHERE (release_key IS NOT NULL AND status IN ('RUNNING', 'SUCCEEDED'));
