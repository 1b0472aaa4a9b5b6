-- CreateIndex
CREATE INDEX "operation_app_env_id_id_idx" ON "public"."operation"("app_env_id" ASC, "id" ASC);
