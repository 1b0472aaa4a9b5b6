-- CreateTable
CREATE TABLE "public"."remote_session" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "token_id" TEXT NOT NULL,
    "user_id" TEXT,
    "request_id" TEXT NOT NULL,
    "container" TEXT NOT NULL,
    "container_id" TEXT NOT NULL,
    "command" JSONB,
    "columns" INTEGER,
    "rows" INTEGER,
    "port" INTEGER,
    "is_own_port" BOOLEAN NOT NULL DEFAULT false,
    "ticket_hash" TEXT,
    "held_until" TIMESTAMPTZ(6) NOT NULL,
    "relay_url" TEXT,
    "worker_id" TEXT,
    "worker_key_hash" TEXT,
    "worker_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),

    CONSTRAINT "remote_session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "remote_session_account_id_idx" ON "public"."remote_session"("account_id" ASC);

-- CreateIndex
CREATE INDEX "remote_session_app_env_id_idx" ON "public"."remote_session"("app_env_id" ASC);

-- CreateIndex
CREATE INDEX "remote_session_held_until_idx" ON "public"."remote_session"("held_until" ASC);

-- CreateIndex
CREATE UNIQUE INDEX "remote_session_ticket_hash_key" ON "public"."remote_session"("ticket_hash" ASC);

-- AddForeignKey
ALTER TABLE "public"."remote_session" ADD CONSTRAINT "remote_session_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;
