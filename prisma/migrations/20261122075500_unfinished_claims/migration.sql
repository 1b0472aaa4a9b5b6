-- AlterTable
ALTER TABLE "app_env" ADD COLUMN     "unfinished_claims" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "runs_alone" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "unfinished_claims" INTEGER NOT NULL DEFAULT 0;
