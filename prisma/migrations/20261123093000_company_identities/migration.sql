-- CreateTable
CREATE TABLE "public"."company_identity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "company_identity_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateIndex
CREATE INDEX "company_identity_user_id_idx" ON "public"."company_identity"("user_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."company_identity" ADD CONSTRAINT "company_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
