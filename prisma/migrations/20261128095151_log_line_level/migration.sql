-- AlterTable
ALTER TABLE "public"."log_line" ADD COLUMN     "level" SMALLINT;
