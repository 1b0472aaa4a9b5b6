-- AlterTable
ALTER TABLE "public"."replica" ADD COLUMN     "lag_seconds" DOUBLE PRECISION;
