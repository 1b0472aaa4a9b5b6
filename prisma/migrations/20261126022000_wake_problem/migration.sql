-- AlterTable
ALTER TABLE "public"."request_scaling" ADD COLUMN     "wake_problem" TEXT;
