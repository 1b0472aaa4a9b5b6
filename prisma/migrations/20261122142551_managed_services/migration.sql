-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "preset_version" TEXT,
ADD COLUMN     "service_credentials_id" TEXT;

-- AlterTable
ALTER TABLE "public"."volume" ADD COLUMN     "preset_version" TEXT,
ADD COLUMN     "service_credentials_id" TEXT;

-- CreateTable
CREATE TABLE "public"."service_credentials" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "sealed_next" TEXT,
    "rotated_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "service_credentials_account_id_idx" ON "public"."service_credentials"("account_id" ASC);

-- AddForeignKey
ALTER TABLE "public"."app_env" ADD CONSTRAINT "app_env_service_credentials_id_fkey" FOREIGN KEY ("service_credentials_id") REFERENCES "public"."service_credentials"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."service_credentials" ADD CONSTRAINT "service_credentials_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "public"."volume" ADD CONSTRAINT "volume_service_credentials_id_fkey" FOREIGN KEY ("service_credentials_id") REFERENCES "public"."service_credentials"("id") ON DELETE SET NULL ON UPDATE CASCADE;
