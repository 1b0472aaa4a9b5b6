-- AlterTable
ALTER TABLE "public"."token" ADD COLUMN     "parent_id" TEXT;

-- AlterTable
ALTER TABLE "public"."upload" ADD COLUMN     "token_id" TEXT;

-- CreateIndex
CREATE INDEX "token_parent_id_idx" ON "public"."token"("parent_id" ASC);

-- CreateIndex
CREATE INDEX "upload_token_id_idx" ON "public"."upload"("token_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."token" ADD CONSTRAINT "token_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "public"."token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."upload" ADD CONSTRAINT "upload_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "public"."token"("id") ON DELETE SET NULL ON UPDATE CASCADE;
