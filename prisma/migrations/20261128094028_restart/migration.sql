-- AlterEnum
ALTER TYPE "public"."OperationKind" ADD VALUE 'RESTART';
