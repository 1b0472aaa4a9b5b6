-- AlterTable
ALTER TABLE "public"."app" ADD COLUMN     "build_target" TEXT;

-- AlterTable
ALTER TABLE "public"."log_line" ADD COLUMN     "is_partial" BOOLEAN NOT NULL DEFAULT false;
