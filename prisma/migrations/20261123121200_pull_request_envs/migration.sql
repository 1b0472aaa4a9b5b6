-- AlterEnum
ALTER TYPE "public"."GitDeliveryOutcome" ADD VALUE 'DELETED';

-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "pull_request" JSONB;

-- AlterTable
ALTER TABLE "public"."git_delivery" ADD COLUMN     "happened_at" TIMESTAMPTZ(3),
ADD COLUMN     "pull_request_action" TEXT,
ADD COLUMN     "pull_request_number" INTEGER;

-- CreateTable
CREATE TABLE "public"."pull_request_envs" (
    "app_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "base_app_env_id" TEXT NOT NULL,
    "target_branches" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_after_hours" INTEGER NOT NULL,
    "max_app_envs" INTEGER NOT NULL,
    "copy_secrets" BOOLEAN NOT NULL DEFAULT false,
    "allow_forks" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pull_request_envs_pkey" PRIMARY KEY ("app_id")
);

-- CreateIndex
CREATE INDEX "pull_request_envs_user_id_idx" ON "public"."pull_request_envs"("user_id" ASC);

-- CreateIndex
CREATE INDEX "app_env_expiring" ON "public"."app_env"("expires_at" ASC) WHERE ((expires_at IS NOT NULL) AND (deleted_at IS NULL));

-- CreateIndex
CREATE INDEX "git_delivery_pull_request" ON "public"."git_delivery"("account_id" ASC, "repository" ASC, "pull_request_number" ASC, "id" ASC) WHERE (pull_request_number IS NOT NULL);

-- AddForeignKey
ALTER TABLE "public"."pull_request_envs" ADD CONSTRAINT "pull_request_envs_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "public"."app"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."pull_request_envs" ADD CONSTRAINT "pull_request_envs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
