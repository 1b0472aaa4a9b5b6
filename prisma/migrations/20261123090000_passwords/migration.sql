-- CreateTable
CREATE TABLE "public"."user_password" (
    "user_id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_password_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "public"."sign_in_challenge" (
    "hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "user_id" TEXT,
    "data" JSONB NOT NULL DEFAULT '{}',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_challenge_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "sign_in_challenge_expires_at_idx" ON "public"."sign_in_challenge"("expires_at" ASC);

-- CreateIndex
CREATE INDEX "sign_in_challenge_user_id_idx" ON "public"."sign_in_challenge"("user_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."user_password" ADD CONSTRAINT "user_password_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."sign_in_challenge" ADD CONSTRAINT "sign_in_challenge_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
