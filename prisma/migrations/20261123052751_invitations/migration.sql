-- AlterTable
ALTER TABLE "public"."user" ADD COLUMN     "is_invited" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "public"."invitation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "roles" "public"."Role"[],
    "restricted" BOOLEAN NOT NULL DEFAULT false,
    "app_env_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "hash" TEXT NOT NULL,
    "token_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "user_id" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "invitation_account_id_id_idx" ON "public"."invitation"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "invitation_hash_key" ON "public"."invitation"("hash" ASC);

-- CreateIndex
CREATE INDEX "invitation_token_id_idx" ON "public"."invitation"("token_id" ASC);

-- CreateIndex
CREATE INDEX "invitation_user_id_idx" ON "public"."invitation"("user_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."invitation" ADD CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."invitation" ADD CONSTRAINT "invitation_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "public"."token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."invitation" ADD CONSTRAINT "invitation_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
