-- CreateEnum
CREATE TYPE "public"."SourceInspectionStatus" AS ENUM ('QUEUED', 'SUCCEEDED', 'FAILED');

-- CreateTable
CREATE TABLE "public"."source_inspection" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "branch" TEXT,
    "installation_id" TEXT,
    "context_dir" TEXT NOT NULL,
    "status" "public"."SourceInspectionStatus" NOT NULL DEFAULT 'QUEUED',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimed_until" TIMESTAMPTZ(3),
    "commit" TEXT,
    "preset" TEXT,
    "preset_version" TEXT,
    "sign" TEXT,
    "problem" TEXT,
    "dockerfile_path" TEXT,
    "compose_path" TEXT,
    "start_command" TEXT,
    "ports" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "reason" TEXT,
    "message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "source_inspection_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "source_inspection_account_id_status_idx" ON "public"."source_inspection"("account_id" ASC, "status" ASC);

-- AddForeignKey
ALTER TABLE "public"."source_inspection" ADD CONSTRAINT "source_inspection_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
