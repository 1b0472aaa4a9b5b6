-- AlterTable
ALTER TABLE "public"."app_env" ADD COLUMN     "container_settings" JSONB,
ADD COLUMN     "network_aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "network_group" TEXT;

-- CreateIndex
CREATE INDEX "app_env_network_group_live" ON "public"."app_env"("network_group") WHERE (network_group IS NOT NULL AND deleted_at IS NULL);
