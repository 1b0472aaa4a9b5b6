-- CreateTable
CREATE TABLE "public"."build_cache" (
    "account_id" TEXT NOT NULL,
    "engine_key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "measured_at" TIMESTAMPTZ(3),
    "clear_requested_at" TIMESTAMPTZ(3),
    "cleared_at" TIMESTAMPTZ(3),
    "clearing_until" TIMESTAMPTZ(3),

    CONSTRAINT "build_cache_pkey" PRIMARY KEY ("account_id","engine_key")
);

-- CreateTable
CREATE TABLE "public"."build_turn" (
    "number" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "engine_key" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "lease_token" INTEGER NOT NULL,

    CONSTRAINT "build_turn_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "build_turn_account_id_engine_key_number_idx" ON "public"."build_turn"("account_id" ASC, "engine_key" ASC, "number" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "build_turn_app_env_id_lease_token_key" ON "public"."build_turn"("app_env_id" ASC, "lease_token" ASC);

-- AddForeignKey
ALTER TABLE "public"."build_cache" ADD CONSTRAINT "build_cache_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
