-- AlterEnum
ALTER TYPE "public"."OperationKind" ADD VALUE 'PROMOTE';

-- AlterTable
ALTER TABLE "public"."content" ADD COLUMN     "promoted_from" JSONB;
