-- CreateEnum
CREATE TYPE "public"."GitDeliveryOutcome" AS ENUM ('DEPLOYED', 'IGNORED');

-- CreateEnum
CREATE TYPE "public"."GitHookProvider" AS ENUM ('GITHUB', 'GITLAB', 'GITEA');

-- CreateTable
CREATE TABLE "public"."auto_deploy" (
    "app_env_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "watch_paths" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auto_deploy_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE TABLE "public"."git_delivery" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "delivery_key" TEXT NOT NULL,
    "provider" "public"."GitHookProvider" NOT NULL,
    "event" TEXT NOT NULL,
    "repository" TEXT,
    "branch" TEXT,
    "from_commit_id" TEXT,
    "commit_id" TEXT,
    "pusher" TEXT,
    "outcome" "public"."GitDeliveryOutcome" NOT NULL,
    "reason" TEXT,
    "message" TEXT NOT NULL,
    "environments" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."git_hook" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_id" TEXT,
    "provider" "public"."GitHookProvider" NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "former_secret_until" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_hook_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "auto_deploy_user_id_idx" ON "public"."auto_deploy"("user_id" ASC);

-- CreateIndex
CREATE INDEX "git_delivery_account_id_id_idx" ON "public"."git_delivery"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "git_delivery_account_id_repository_branch_id_idx" ON "public"."git_delivery"("account_id" ASC, "repository" ASC, "branch" ASC, "id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "git_delivery_account_id_source_delivery_key_key" ON "public"."git_delivery"("account_id" ASC, "source" ASC, "delivery_key" ASC);

-- CreateIndex
CREATE INDEX "git_hook_account_id_id_idx" ON "public"."git_hook"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "git_hook_app_id_idx" ON "public"."git_hook"("app_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."auto_deploy" ADD CONSTRAINT "auto_deploy_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."auto_deploy" ADD CONSTRAINT "auto_deploy_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."git_delivery" ADD CONSTRAINT "git_delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."git_hook" ADD CONSTRAINT "git_hook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."git_hook" ADD CONSTRAINT "git_hook_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "public"."app"("id") ON DELETE CASCADE ON UPDATE CASCADE;
