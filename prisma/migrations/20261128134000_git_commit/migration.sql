-- AlterTable
ALTER TABLE "public"."content" ADD COLUMN     "git_commit" JSONB;
