-- AlterTable
ALTER TABLE "public"."log_stream" ADD COLUMN     "bytes" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "public"."upload" ADD COLUMN     "receiving_bytes" BIGINT,
ADD COLUMN     "receiving_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "public"."account_usage" (
    "account_id" TEXT NOT NULL,
    "log_minute" BIGINT NOT NULL DEFAULT 0,
    "log_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_usage_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "public"."git_installation" (
    "installation_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "user_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_installation_pkey" PRIMARY KEY ("installation_id","account_id")
);

-- CreateIndex
CREATE INDEX "git_installation_account_id_idx" ON "public"."git_installation"("account_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."account_usage" ADD CONSTRAINT "account_usage_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."git_installation" ADD CONSTRAINT "git_installation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is kept counts, with the same 64 bytes of each row as for new lines.
UPDATE "log_stream" s SET "bytes" = kept.bytes
  FROM (SELECT "log_stream_id", sum(octet_length("message") + 64) AS bytes FROM "log_line" GROUP BY 1) kept
 WHERE kept."log_stream_id" = s."id";

-- An installation that the apps of one account alone have named stays theirs.
INSERT INTO "git_installation" ("installation_id", "account_id")
SELECT "git_installation_id", min("account_id") FROM "app"
 WHERE "git_installation_id" IS NOT NULL AND "deleted_at" IS NULL
 GROUP BY 1 HAVING count(DISTINCT "account_id") = 1;
