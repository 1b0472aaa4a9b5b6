-- AlterTable
ALTER TABLE "public"."content" ADD COLUMN     "build_key" TEXT,
ADD COLUMN     "build_plan" JSONB;

-- CreateTable
CREATE TABLE "public"."build_log_line" (
    "content_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "message" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "build_log_line_pkey" PRIMARY KEY ("content_id","sequence")
);

-- CreateTable
CREATE TABLE "public"."upload" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "file_extension" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "requested_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "uploaded_at" TIMESTAMPTZ(3),
    "notified_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "upload_app_env_id_id_idx" ON "public"."upload"("app_env_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "content_app_env_id_build_key_idx" ON "public"."content"("app_env_id" ASC, "build_key" ASC);

-- AddForeignKey
ALTER TABLE "public"."build_log_line" ADD CONSTRAINT "build_log_line_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "public"."content"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."upload" ADD CONSTRAINT "upload_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "public"."app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;
