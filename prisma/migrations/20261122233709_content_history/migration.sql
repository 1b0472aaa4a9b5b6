-- CreateIndex
CREATE INDEX "content_app_env_id_created_at_id_idx" ON "public"."content"("app_env_id" ASC, "created_at" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "content_app_env_id_deployed_at_idx" ON "public"."content"("app_env_id" ASC, "deployed_at" ASC);
