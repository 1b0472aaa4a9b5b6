-- AlterEnum
ALTER TYPE "public"."OperationKind" ADD VALUE 'ROTATE_CREDENTIALS';

-- AlterTable
ALTER TABLE "public"."variable" ADD COLUMN     "references" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "references_changed_at" TIMESTAMPTZ(3);
