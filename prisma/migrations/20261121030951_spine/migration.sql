-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS');

-- CreateEnum
CREATE TYPE "TokenKind" AS ENUM ('USER', 'ENVIRONMENT', 'SCOPED');

-- CreateEnum
CREATE TYPE "CredentialType" AS ENUM ('CONTAINER_REGISTRY', 'BASIC_AUTH', 'OBJECT_STORAGE');

-- CreateEnum
CREATE TYPE "AppType" AS ENUM ('APP', 'SERVICE', 'FUNCTION', 'JOB');

-- CreateEnum
CREATE TYPE "AppEnvStatus" AS ENUM ('PENDING', 'UPDATING', 'RUNNING', 'STOPPED');

-- CreateEnum
CREATE TYPE "Health" AS ENUM ('HEALTHY', 'DEGRADED', 'UNHEALTHY', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "VariableType" AS ENUM ('DEPLOY', 'BUILD', 'BOTH');

-- CreateEnum
CREATE TYPE "HostStatus" AS ENUM ('VALID', 'INVALID', 'VALIDATING');

-- CreateEnum
CREATE TYPE "ContentStatus" AS ENUM ('QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING', 'DEPLOYED', 'JOB_READY', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "ContentType" AS ENUM ('BUILD', 'IMAGE_FROM');

-- CreateEnum
CREATE TYPE "OperationKind" AS ENUM ('DEPLOY_IMAGE', 'BUILD', 'REDEPLOY', 'ROLLBACK', 'STOP', 'START', 'APPLY_CHANGES', 'DELETE');

-- CreateEnum
CREATE TYPE "OperationStatus" AS ENUM ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "ReplicaState" AS ENUM ('STARTING', 'READY', 'UNREADY', 'DRAINING');

-- CreateTable
CREATE TABLE "installation" (
    "id" TEXT NOT NULL,
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "master_key_id" TEXT NOT NULL,
    "key_check" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "plan_code" TEXT NOT NULL,
    "is_verified" BOOLEAN NOT NULL DEFAULT true,
    "allow_auto_scaling" BOOLEAN NOT NULL DEFAULT true,
    "data_key" TEXT NOT NULL,
    "entitlements" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "is_installation_admin" BOOLEAN NOT NULL DEFAULT false,
    "current_account_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "membership" (
    "account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "roles" "Role"[],
    "restricted" BOOLEAN NOT NULL DEFAULT false,
    "app_env_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("account_id","user_id")
);

-- CreateTable
CREATE TABLE "credential" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "type" "CredentialType" NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "public_data" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "token" (
    "id" TEXT NOT NULL,
    "kind" "TokenKind" NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "user_id" TEXT,
    "app_env_id" TEXT,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "region" (
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "functions_supported" BOOLEAN NOT NULL,
    "sandbox_addon_ready" BOOLEAN NOT NULL DEFAULT false,
    "public_gateway_ready" BOOLEAN NOT NULL DEFAULT false,
    "domain" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "region_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "engine_host" (
    "id" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "engine_version" TEXT,
    "reachable" BOOLEAN NOT NULL,
    "reason" TEXT,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "engine_host_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plan" (
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "functions_included" BOOLEAN NOT NULL,
    "autoscaling_included" BOOLEAN NOT NULL,
    "max_apps" INTEGER NOT NULL,
    "max_app_envs" INTEGER NOT NULL,
    "max_containers" INTEGER NOT NULL,
    "max_z_clouds" INTEGER NOT NULL,

    CONSTRAINT "plan_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "app" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "type" "AppType" NOT NULL DEFAULT 'APP',
    "docker_preset" TEXT NOT NULL DEFAULT 'CUSTOM',
    "docker_preset_version" TEXT,
    "builder" TEXT NOT NULL DEFAULT 'DOCKER',
    "port" INTEGER,
    "use_image" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "git_provider" TEXT,
    "git_namespace" TEXT,
    "git_repo" TEXT,
    "git_installation_id" TEXT,
    "is_cli_deployment" BOOLEAN NOT NULL DEFAULT false,
    "context_dir" TEXT NOT NULL DEFAULT './',
    "dockerfile_path" TEXT,
    "custom_dockerfile_content" TEXT,
    "build_args" TEXT,
    "health_check_path" TEXT,
    "health_check_port" INTEGER,
    "health_check_headers" JSONB,
    "image_pull_account_secret_id" TEXT,
    "build_pull_account_secret_id" TEXT,
    "job_config" JSONB,
    "function_config" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "app_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_env" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "cli_env_name" TEXT NOT NULL,
    "deployment_name" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "git_branch" TEXT,
    "containers" INTEGER NOT NULL DEFAULT 1,
    "z_clouds" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "startup_config" JSONB,
    "job_config" JSONB,
    "function_config" JSONB,
    "allow_user_cli_token" BOOLEAN NOT NULL DEFAULT true,
    "prevent_destroy" BOOLEAN NOT NULL DEFAULT false,
    "pending_image" TEXT,
    "status" "AppEnvStatus" NOT NULL DEFAULT 'PENDING',
    "current_content_id" TEXT,
    "rollout_id" TEXT,
    "last_version" INTEGER NOT NULL DEFAULT 0,
    "replicas_desired" INTEGER NOT NULL DEFAULT 0,
    "health" "Health" NOT NULL DEFAULT 'UNKNOWN',
    "replicas_running" INTEGER NOT NULL DEFAULT 0,
    "replicas_ready" INTEGER NOT NULL DEFAULT 0,
    "observed_at" TIMESTAMPTZ(3),
    "observed_reason" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "app_env_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "variable" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" "VariableType" NOT NULL DEFAULT 'DEPLOY',
    "is_secret" BOOLEAN NOT NULL DEFAULT false,
    "sealed_value" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "variable_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "host" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "is_auto_generated" BOOLEAN NOT NULL DEFAULT false,
    "status" "HostStatus" NOT NULL DEFAULT 'VALIDATING',
    "last_validation_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "host_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "content" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "type" "ContentType" NOT NULL,
    "status" "ContentStatus" NOT NULL DEFAULT 'QUEUED',
    "reason" TEXT,
    "message" TEXT,
    "image" TEXT NOT NULL,
    "image_digest" TEXT,
    "image_from_cache" BOOLEAN NOT NULL DEFAULT false,
    "configuration" JSONB NOT NULL,
    "from_content_id" TEXT,
    "git_branch" TEXT,
    "git_commit_id" TEXT,
    "requested_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deployed_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "content_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "kind" "OperationKind" NOT NULL,
    "status" "OperationStatus" NOT NULL DEFAULT 'QUEUED',
    "reason" TEXT,
    "message" TEXT,
    "content_id" TEXT,
    "previous_status" "AppEnvStatus" NOT NULL,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL,
    "not_before" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "is_dead_letter" BOOLEAN NOT NULL DEFAULT false,
    "retries_id" TEXT,
    "request_id" TEXT NOT NULL,
    "requested_by" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "replica" (
    "name" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "rollout_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "container_id" TEXT,
    "address" TEXT,
    "port" INTEGER,
    "state" "ReplicaState" NOT NULL,
    "drain_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "replica_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "ledger" (
    "id" TEXT NOT NULL,
    "last_event_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_audit_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_audit_hash" TEXT NOT NULL DEFAULT '',
    "expired_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "ledger_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "ledger_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "app_id" TEXT,
    "app_env_id" TEXT,
    "operation_id" TEXT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("ledger_id","sequence")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" TEXT NOT NULL,
    "ledger_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT,
    "token_id" TEXT,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "caller_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "response" TEXT NOT NULL,
    "pending_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("caller_id","route","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "installation_singleton_key" ON "installation"("singleton");

-- CreateIndex
CREATE UNIQUE INDEX "account_slug_key" ON "account"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE INDEX "membership_user_id_idx" ON "membership"("user_id");

-- CreateIndex
CREATE INDEX "credential_account_id_id_idx" ON "credential"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "token_hash_key" ON "token"("hash");

-- CreateIndex
CREATE INDEX "token_user_id_idx" ON "token"("user_id");

-- CreateIndex
CREATE INDEX "token_app_env_id_idx" ON "token"("app_env_id");

-- CreateIndex
CREATE INDEX "app_account_id_id_idx" ON "app"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "app_account_id_slug_live" ON "app"("account_id", "slug") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "app_env_current_content_id_key" ON "app_env"("current_content_id");

-- CreateIndex
CREATE INDEX "app_env_due_at_idx" ON "app_env"("due_at");

-- CreateIndex
CREATE INDEX "app_env_account_id_id_idx" ON "app_env"("account_id", "id");

-- CreateIndex
CREATE INDEX "app_env_app_id_id_idx" ON "app_env"("app_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "app_env_app_id_slug_live" ON "app_env"("app_id", "slug") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "app_env_cli_env_name_live" ON "app_env"("cli_env_name") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "variable_app_env_id_name_key" ON "variable"("app_env_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "host_host_key" ON "host"("host");

-- CreateIndex
CREATE INDEX "host_app_env_id_idx" ON "host"("app_env_id");

-- CreateIndex
CREATE UNIQUE INDEX "content_app_env_id_version_key" ON "content"("app_env_id", "version");

-- CreateIndex
CREATE INDEX "operation_app_env_id_created_at_idx" ON "operation"("app_env_id", "created_at");

-- CreateIndex
CREATE INDEX "operation_account_id_created_at_idx" ON "operation"("account_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "operation_one_open_per_app_env" ON "operation"("app_env_id") WHERE (status IN ('QUEUED', 'RUNNING'));

-- CreateIndex
CREATE INDEX "replica_app_env_id_idx" ON "replica"("app_env_id");

-- CreateIndex
CREATE INDEX "event_app_env_id_sequence_idx" ON "event"("app_env_id", "sequence");

-- CreateIndex
CREATE INDEX "event_operation_id_sequence_idx" ON "event"("operation_id", "sequence");

-- CreateIndex
CREATE INDEX "audit_entry_target_id_idx" ON "audit_entry"("target_id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_ledger_id_sequence_key" ON "audit_entry"("ledger_id", "sequence");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_plan_code_fkey" FOREIGN KEY ("plan_code") REFERENCES "plan"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_current_account_id_fkey" FOREIGN KEY ("current_account_id") REFERENCES "account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "engine_host" ADD CONSTRAINT "engine_host_region_code_fkey" FOREIGN KEY ("region_code") REFERENCES "region"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app" ADD CONSTRAINT "app_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_region_code_fkey" FOREIGN KEY ("region_code") REFERENCES "region"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_current_content_id_fkey" FOREIGN KEY ("current_content_id") REFERENCES "content"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variable" ADD CONSTRAINT "variable_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "host" ADD CONSTRAINT "host_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "content" ADD CONSTRAINT "content_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "content"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replica" ADD CONSTRAINT "replica_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replica" ADD CONSTRAINT "replica_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "content"("id") ON DELETE CASCADE ON UPDATE CASCADE;
