-- AlterTable
ALTER TABLE "public"."solution_component" ADD COLUMN     "job_run_id" TEXT;
