-- AlterTable
ALTER TABLE "public"."content" ADD COLUMN     "build_use" JSONB;

-- CreateIndex
CREATE INDEX "content_built" ON "public"."content"("account_id", "created_at") WHERE (build_use IS NOT NULL);
