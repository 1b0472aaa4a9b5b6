-- CreateIndex
CREATE INDEX "app_account_id_type_id_idx" ON "public"."app"("account_id" ASC, "type" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "app_account_id_created_at_idx" ON "public"."app"("account_id" ASC, "created_at" ASC);

-- CreateIndex
CREATE INDEX "app_env_account_id_region_code_id_idx" ON "public"."app_env"("account_id" ASC, "region_code" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "app_env_git_branch" ON "public"."app_env"("account_id" ASC, "git_branch" ASC, "id" ASC) WHERE (git_branch IS NOT NULL);

-- CreateIndex
CREATE INDEX "app_env_account_id_created_at_idx" ON "public"."app_env"("account_id" ASC, "created_at" ASC);

-- CreateIndex
CREATE INDEX "operation_account_id_kind_id_idx" ON "public"."operation"("account_id" ASC, "kind" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "operation_account_id_requested_by_id_idx" ON "public"."operation"("account_id" ASC, "requested_by" ASC, "id" ASC);

-- CreateIndex
CREATE INDEX "operation_dead_letter" ON "public"."operation"("account_id" ASC, "id" ASC) WHERE (is_dead_letter);
