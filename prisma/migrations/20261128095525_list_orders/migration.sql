-- CreateIndex
CREATE INDEX "app_account_id_name_id_idx" ON "public"."app"("account_id" ASC, "name" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "app_env_account_id_name_id_idx" ON "public"."app_env"("account_id" ASC, "name" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "app_env_account_id_status_health_idx" ON "public"."app_env"("account_id" ASC, "status" ASC, "health" ASC);

-- CreateIndex
CREATE INDEX "job_run_account_id_id_idx" ON "public"."job_run"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "operation_account_id_id_idx" ON "public"."operation"("account_id" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "operation_account_id_status_id_idx" ON "public"."operation"("account_id" ASC, "status" ASC, "id" ASC);
