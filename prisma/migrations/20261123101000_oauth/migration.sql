-- AlterTable
ALTER TABLE "public"."token" ADD COLUMN     "authorization_id" TEXT,
ADD COLUMN     "previous_hash" TEXT,
ADD COLUMN     "previous_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "public"."oauth_client" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."oauth_authorization" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "parent_id" TEXT,
    "scopes" TEXT[],
    "resource" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_authorization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "public"."oauth_state" (
    "kind" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "lookup_hash" TEXT,
    "authorization_id" TEXT,
    "payload" JSONB NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oauth_state_pkey" PRIMARY KEY ("kind","hash")
);

-- CreateIndex
CREATE INDEX "oauth_client_used_at_idx" ON "public"."oauth_client"("used_at" ASC);

-- CreateIndex
CREATE INDEX "oauth_authorization_user_id_idx" ON "public"."oauth_authorization"("user_id" ASC);

-- CreateIndex
CREATE INDEX "oauth_authorization_client_id_idx" ON "public"."oauth_authorization"("client_id" ASC);

-- CreateIndex
CREATE INDEX "oauth_authorization_parent_id_idx" ON "public"."oauth_authorization"("parent_id" ASC);

-- CreateIndex
CREATE INDEX "oauth_state_lookup_hash_idx" ON "public"."oauth_state"("lookup_hash" ASC);

-- CreateIndex
CREATE INDEX "oauth_state_authorization_id_idx" ON "public"."oauth_state"("authorization_id" ASC);

-- CreateIndex
CREATE INDEX "oauth_state_expires_at_idx" ON "public"."oauth_state"("expires_at" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "token_previous_hash_key" ON "public"."token"("previous_hash" ASC);

-- CreateIndex
CREATE INDEX "token_authorization_id_idx" ON "public"."token"("authorization_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."token" ADD CONSTRAINT "token_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "public"."oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."oauth_authorization" ADD CONSTRAINT "oauth_authorization_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."oauth_authorization" ADD CONSTRAINT "oauth_authorization_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."oauth_authorization" ADD CONSTRAINT "oauth_authorization_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "public"."token"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."oauth_state" ADD CONSTRAINT "oauth_state_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "public"."oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE;
