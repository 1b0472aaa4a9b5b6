-- AlterTable
ALTER TABLE "public"."git_hook" ADD COLUMN     "status_api_url" TEXT,
ADD COLUMN     "status_error" TEXT;

-- CreateTable
CREATE TABLE "public"."commit_status" (
    "operation_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "provider" "public"."GitHookProvider" NOT NULL,
    "project" TEXT NOT NULL,
    "commit_id" TEXT NOT NULL,
    "installation_id" TEXT,
    "reported" TEXT,
    "error" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commit_status_pkey" PRIMARY KEY ("operation_id")
);

-- CreateIndex
CREATE INDEX "commit_status_app_env_id_commit_id_idx" ON "public"."commit_status"("app_env_id" ASC, "commit_id" ASC);

-- CreateIndex
CREATE INDEX "commit_status_waiting" ON "public"."commit_status"("due_at" ASC) WHERE (ended_at IS NULL);

-- AddForeignKey
ALTER TABLE "public"."commit_status" ADD CONSTRAINT "commit_status_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "public"."operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;
