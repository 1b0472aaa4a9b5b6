-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS');

-- CreateEnum
CREATE TYPE "TokenKind" AS ENUM ('USER', 'ENVIRONMENT', 'SCOPED', 'SESSION');

-- CreateEnum
CREATE TYPE "CredentialType" AS ENUM ('CONTAINER_REGISTRY', 'BASIC_AUTH', 'OBJECT_STORAGE');

-- CreateEnum
CREATE TYPE "SignInMethod" AS ENUM ('TOKEN', 'PASSWORD', 'PASSKEY', 'OIDC');

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
CREATE TYPE "OperationKind" AS ENUM ('DEPLOY_IMAGE', 'BUILD', 'REDEPLOY', 'ROLLBACK', 'STOP', 'START', 'APPLY_CHANGES', 'ROTATE_CREDENTIALS', 'BACKUP', 'RESTORE', 'VERIFY_BACKUP', 'DELETE');

-- CreateEnum
CREATE TYPE "OperationStatus" AS ENUM ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "BackupStatus" AS ENUM ('CREATING', 'AVAILABLE', 'FAILED', 'DELETING');

-- CreateEnum
CREATE TYPE "BackupKind" AS ENUM ('MANUAL', 'SCHEDULED', 'BEFORE_RESTORE');

-- CreateEnum
CREATE TYPE "ReplicaState" AS ENUM ('STARTING', 'READY', 'UNREADY', 'DRAINING', 'ASLEEP');

-- CreateEnum
CREATE TYPE "SleepDepth" AS ENUM ('FROZEN', 'STOPPED', 'NONE');

-- CreateEnum
CREATE TYPE "JobRunStatus" AS ENUM ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED');

-- CreateEnum
CREATE TYPE "JobRunTrigger" AS ENUM ('MANUAL', 'SCHEDULE', 'API', 'RELEASE');

-- CreateEnum
CREATE TYPE "LogStreamKind" AS ENUM ('CONTAINERS', 'BUILDS', 'RUNS');

-- CreateEnum
CREATE TYPE "SolutionInstallationStatus" AS ENUM ('INSTALLING', 'INSTALLED', 'INCOMPLETE');

-- CreateEnum
CREATE TYPE "SolutionComponentState" AS ENUM ('PENDING', 'DEPLOYING', 'READY', 'FAILED');

-- CreateEnum
CREATE TYPE "WebhookKind" AS ENUM ('WEBHOOK', 'SLACK', 'DISCORD', 'EMAIL');

-- CreateEnum
CREATE TYPE "WebhookDeliveryStatus" AS ENUM ('PENDING', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "UsageKind" AS ENUM ('COMPUTE', 'FROZEN', 'JOB_RUN', 'BUILD', 'VOLUME', 'BACKUP');

-- CreateEnum
CREATE TYPE "GitHookProvider" AS ENUM ('GITHUB', 'GITLAB', 'GITEA');

-- CreateEnum
CREATE TYPE "GitDeliveryOutcome" AS ENUM ('DEPLOYED', 'DELETED', 'IGNORED');

-- CreateTable
CREATE TABLE "installation" (
    "id" TEXT NOT NULL,
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "master_key_id" TEXT NOT NULL,
    "key_check" TEXT NOT NULL,
    "rotating_to" TEXT,
    "fingerprint_key" TEXT,
    "berth_version" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "engine_mark" (
    "engine_id" TEXT NOT NULL,
    "nonces" TEXT[],
    "place" TEXT NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "engine_mark_pkey" PRIMARY KEY ("engine_id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "plan_code" TEXT NOT NULL,
    "is_verified" BOOLEAN NOT NULL DEFAULT true,
    "allow_auto_scaling" BOOLEAN NOT NULL DEFAULT true,
    "allow_functions" BOOLEAN NOT NULL DEFAULT true,
    "data_key" TEXT NOT NULL,
    "entitlements" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_usage" (
    "account_id" TEXT NOT NULL,
    "log_minute" BIGINT NOT NULL DEFAULT 0,
    "log_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "account_usage_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "git_installation" (
    "installation_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "user_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_installation_pkey" PRIMARY KEY ("installation_id","account_id")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "is_installation_admin" BOOLEAN NOT NULL DEFAULT false,
    "is_invited" BOOLEAN NOT NULL DEFAULT false,
    "current_account_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_password" (
    "user_id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_password_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "passkey" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "passkey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "code_generator" (
    "user_id" TEXT NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "code_generator_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "hash" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "company_identity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "company_identity_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "sign_in_challenge" (
    "hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "user_id" TEXT,
    "data" JSONB NOT NULL DEFAULT '{}',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_challenge_pkey" PRIMARY KEY ("hash")
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
CREATE TABLE "invitation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "roles" "Role"[],
    "restricted" BOOLEAN NOT NULL DEFAULT false,
    "app_env_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "hash" TEXT NOT NULL,
    "token_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "user_id" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "type" "CredentialType" NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "public_data" JSONB NOT NULL,
    "default_for" TEXT,
    "checked_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_credentials" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "sealed_next" TEXT,
    "rotated_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pulled_image" (
    "account_id" TEXT NOT NULL,
    "image_id" TEXT NOT NULL,
    "is_ours" BOOLEAN NOT NULL DEFAULT false,
    "engine_key" TEXT NOT NULL DEFAULT '',
    "pulled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pulled_image_pkey" PRIMARY KEY ("account_id","image_id","engine_key")
);

-- CreateTable
CREATE TABLE "token" (
    "id" TEXT NOT NULL,
    "kind" "TokenKind" NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "user_id" TEXT,
    "app_env_id" TEXT,
    "parent_id" TEXT,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "authorization_id" TEXT,
    "previous_hash" TEXT,
    "previous_until" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "token_id" TEXT NOT NULL,
    "method" "SignInMethod" NOT NULL,
    "idle_minutes" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("token_id")
);

-- CreateTable
CREATE TABLE "oauth_client" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "metadata" JSONB NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_authorization" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "parent_id" TEXT,
    "scopes" TEXT[],
    "resource" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_authorization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_state" (
    "kind" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "lookup_hash" TEXT,
    "authorization_id" TEXT,
    "payload" JSONB NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oauth_state_pkey" PRIMARY KEY ("kind","hash")
);

-- CreateTable
CREATE TABLE "region" (
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "functions_supported" BOOLEAN NOT NULL,
    "sandbox_addon_ready" BOOLEAN NOT NULL DEFAULT false,
    "public_gateway_ready" BOOLEAN NOT NULL DEFAULT false,
    "domain" TEXT NOT NULL,
    "engine" TEXT,
    "reach_address" TEXT,
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
    "max_build_minutes" INTEGER NOT NULL DEFAULT 1000000,
    "log_days" INTEGER NOT NULL DEFAULT 7,
    "metric_days" INTEGER NOT NULL DEFAULT 30,
    "z_cloud_hour_price" INTEGER NOT NULL DEFAULT 0,
    "job_z_cloud_hour_price" INTEGER NOT NULL DEFAULT 0,
    "build_minute_price" INTEGER NOT NULL DEFAULT 0,
    "frozen_gb_month_price" INTEGER NOT NULL DEFAULT 0,
    "volume_gb_month_price" INTEGER NOT NULL DEFAULT 0,
    "backup_gb_month_price" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "plan_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "app" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'APP',
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
    "health_check" JSONB,
    "image_pull_account_secret_id" TEXT,
    "build_pull_account_secret_id" TEXT,
    "volume_path" TEXT,
    "type_config" JSONB,
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
    "cpu" DOUBLE PRECISION,
    "memory_mb" INTEGER,
    "auto_scaling" JSONB,
    "startup_config" JSONB,
    "release_command" JSONB,
    "health_check" JSONB,
    "volume_id" TEXT,
    "type_config" JSONB,
    "preset_version" TEXT,
    "service_credentials_id" TEXT,
    "backup_schedule" JSONB,
    "next_backup_at" TIMESTAMPTZ(3),
    "allow_user_cli_token" BOOLEAN NOT NULL DEFAULT true,
    "prevent_destroy" BOOLEAN NOT NULL DEFAULT false,
    "pull_request" JSONB,
    "expires_at" TIMESTAMPTZ(3),
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
    "restart_count" INTEGER NOT NULL DEFAULT 0,
    "last_restart_at" TIMESTAMPTZ(3),
    "last_restart_reason" TEXT,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "unfinished_claims" INTEGER NOT NULL DEFAULT 0,
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
    "references" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "references_changed_at" TIMESTAMPTZ(3),
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
    "reason" TEXT,
    "last_validation_at" TIMESTAMPTZ(3),
    "was_valid" BOOLEAN NOT NULL DEFAULT false,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "check_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "host_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "released_host" (
    "host" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "released_host_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "external_access" (
    "app_env_id" TEXT NOT NULL,
    "port" INTEGER,
    "allowed_cidrs" TEXT[],
    "max_connections" INTEGER,

    CONSTRAINT "external_access_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE TABLE "released_port" (
    "port" INTEGER NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "released_port_pkey" PRIMARY KEY ("port")
);

-- CreateTable
CREATE TABLE "volume" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cli_env_name" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "disk_mb" INTEGER NOT NULL,
    "used_mb" INTEGER,
    "full_percent" INTEGER NOT NULL DEFAULT 0,
    "preset_version" TEXT,
    "service_credentials_id" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "operation_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "volume_pkey" PRIMARY KEY ("id")
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
    "volume_deleted" BOOLEAN NOT NULL DEFAULT false,
    "build_plan" JSONB,
    "build_key" TEXT,
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
CREATE TABLE "upload" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "file_extension" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "requested_by" TEXT,
    "token_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "uploaded_at" TIMESTAMPTZ(3),
    "receiving_until" TIMESTAMPTZ(3),
    "receiving_bytes" BIGINT,
    "notified_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
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
    "backup_id" TEXT,
    "point_in_time" TIMESTAMPTZ(3),
    "previous_status" "AppEnvStatus" NOT NULL,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL,
    "unfinished_claims" INTEGER NOT NULL DEFAULT 0,
    "runs_alone" BOOLEAN NOT NULL DEFAULT false,
    "not_before" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
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
CREATE TABLE "backup" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cli_env_name" TEXT NOT NULL,
    "kind" "BackupKind" NOT NULL,
    "status" "BackupStatus" NOT NULL DEFAULT 'CREATING',
    "preset_version" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "storage_credential_id" TEXT,
    "file" TEXT,
    "unfinished" TEXT,
    "has_leftovers" BOOLEAN NOT NULL DEFAULT true,
    "sealed_key" TEXT,
    "size_bytes" BIGINT,
    "sha256" TEXT,
    "message" TEXT,
    "verified_at" TIMESTAMPTZ(3),
    "verify_message" TEXT,
    "is_base" BOOLEAN NOT NULL DEFAULT false,
    "archive_id" TEXT,
    "first_piece" INTEGER,
    "consistent_piece" INTEGER,
    "restorable_from" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "backup_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_archive" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "volume_id" TEXT NOT NULL,
    "preset_version" TEXT NOT NULL,
    "storage_credential_id" TEXT,
    "next_segment" BIGINT,
    "mark" TEXT NOT NULL DEFAULT '',
    "last_piece" INTEGER NOT NULL DEFAULT 0,
    "until" TIMESTAMPTZ(3),
    "collected_at" TIMESTAMPTZ(3),
    "message" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "is_kept" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_archive_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_piece" (
    "id" TEXT NOT NULL,
    "archive_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "status" "BackupStatus" NOT NULL DEFAULT 'CREATING',
    "until" TIMESTAMPTZ(3),
    "file" TEXT NOT NULL,
    "unfinished" TEXT,
    "sealed_key" TEXT,
    "size_bytes" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_piece_pkey" PRIMARY KEY ("id")
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
    "lag_seconds" DOUBLE PRECISION,
    "drain_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "replica_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "request_scaling" (
    "app_env_id" TEXT NOT NULL,
    "min_scale" INTEGER NOT NULL,
    "max_scale" INTEGER NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "idle_seconds" INTEGER NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "depth" "SleepDepth",
    "depth_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "depth_reason" TEXT,
    "asleep_since" TIMESTAMPTZ(3),
    "memory_mb" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "retry_at" TIMESTAMPTZ(3),
    "pause_seconds" INTEGER NOT NULL DEFAULT 0,
    "wake_problem" TEXT,

    CONSTRAINT "request_scaling_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE UNLOGGED TABLE "ingress_session" (
    "id" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ingress_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "request_load" (
    "ingress_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "in_flight" INTEGER NOT NULL,
    "waiting" INTEGER NOT NULL,
    "peak" INTEGER NOT NULL,
    "by_replica" JSONB NOT NULL,
    "revision" INTEGER NOT NULL,
    "active_at" TIMESTAMPTZ(3),
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_load_pkey" PRIMARY KEY ("ingress_id","app_env_id")
);

-- CreateTable
CREATE TABLE "wake" (
    "id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "depth" "SleepDepth" NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "held" INTEGER NOT NULL,
    "failure" TEXT,
    "announced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wake_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "source" TEXT NOT NULL,
    "invocations" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "queued_ms" BIGINT NOT NULL DEFAULT 0,
    "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "cold_frozen" INTEGER NOT NULL DEFAULT 0,
    "cold_stopped" INTEGER NOT NULL DEFAULT 0,
    "cold_none" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "request_sample_pkey" PRIMARY KEY ("app_env_id","at","source")
);

-- CreateTable
CREATE TABLE "job_run" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "content_version" INTEGER NOT NULL,
    "status" "JobRunStatus" NOT NULL DEFAULT 'QUEUED',
    "trigger" "JobRunTrigger" NOT NULL,
    "reason" TEXT,
    "message" TEXT,
    "snapshot" JSONB NOT NULL,
    "stdin" JSONB,
    "max_concurrency" INTEGER NOT NULL,
    "queue_number" BIGSERIAL NOT NULL,
    "cancel_reason" TEXT,
    "exit_code" INTEGER,
    "output" JSONB,
    "logs_truncated" BOOLEAN NOT NULL DEFAULT false,
    "retries_id" TEXT,
    "release_key" TEXT,
    "scheduled_for" TIMESTAMPTZ(3),
    "request_id" TEXT NOT NULL,
    "requested_by" TEXT,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_attempt" (
    "run_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "container_name" TEXT NOT NULL,
    "container_id" TEXT,
    "stop_reason" TEXT,
    "engine_was_away" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "exit_code" INTEGER,
    "reason" TEXT,
    "message" TEXT,
    "remove_at" TIMESTAMPTZ(3),
    "container_removed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_attempt_pkey" PRIMARY KEY ("run_id","number")
);

-- CreateTable
CREATE TABLE "job_schedule" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "catch_up" BOOLEAN NOT NULL DEFAULT true,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "next_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_schedule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_sequence" (
    "id" TEXT NOT NULL,
    "last_event_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_audit_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_audit_hash" TEXT NOT NULL DEFAULT '',
    "audit_head_mac" TEXT,
    "expired_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_sequence_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "event_sequence_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "app_id" TEXT,
    "app_env_id" TEXT,
    "operation_id" TEXT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("event_sequence_id","sequence")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" TEXT NOT NULL,
    "event_sequence_id" TEXT NOT NULL,
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
    "hash_version" INTEGER NOT NULL DEFAULT 1,
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

-- CreateTable
CREATE TABLE "container" (
    "id" SERIAL NOT NULL,
    "container_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "content_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "phase" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "restart_count" INTEGER NOT NULL DEFAULT 0,
    "last_exit_code" INTEGER,
    "last_exit_out_of_memory" BOOLEAN NOT NULL DEFAULT false,
    "last_exit_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),
    "stdout_at" BIGINT NOT NULL DEFAULT 0,
    "stdout_count" INTEGER NOT NULL DEFAULT 0,
    "stderr_at" BIGINT NOT NULL DEFAULT 0,
    "stderr_count" INTEGER NOT NULL DEFAULT 0,
    "cap_minute" BIGINT NOT NULL DEFAULT 0,
    "cap_used" INTEGER NOT NULL DEFAULT 0,
    "dropped" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "container_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_stream" (
    "id" SERIAL NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "kind" "LogStreamKind" NOT NULL,
    "last_number" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "lease_token" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "log_stream_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_line" (
    "log_stream_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "container_id" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "is_error" BOOLEAN NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "log_line_pkey" PRIMARY KEY ("log_stream_id","number")
);

-- CreateTable
CREATE TABLE "metric_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "container_id" INTEGER NOT NULL,
    "cpu_millicores" INTEGER NOT NULL,
    "memory_mb" INTEGER NOT NULL,
    "cpu_limit" INTEGER NOT NULL,
    "memory_limit" INTEGER NOT NULL,

    CONSTRAINT "metric_sample_pkey" PRIMARY KEY ("app_env_id","at","container_id")
);

-- CreateTable
CREATE TABLE "service_sample" (
    "app_env_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "container_id" INTEGER NOT NULL,
    "measured" JSONB NOT NULL,

    CONSTRAINT "service_sample_pkey" PRIMARY KEY ("app_env_id","at","container_id")
);

-- CreateTable
CREATE TABLE "solution_installation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "solution_slug" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "app_name" TEXT NOT NULL,
    "region_code" TEXT NOT NULL,
    "sealed_inputs" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" "SolutionInstallationStatus" NOT NULL DEFAULT 'INSTALLING',
    "requested_by" TEXT NOT NULL,
    "post_install_note" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "solution_installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "solution_component" (
    "installation_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "state" "SolutionComponentState" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT,
    "message" TEXT,
    "app_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "operation_id" TEXT,
    "job_run_id" TEXT,

    CONSTRAINT "solution_component_pkey" PRIMARY KEY ("installation_id","key")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_count" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_count_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhook" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" "WebhookKind" NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "former_secret_until" TIMESTAMPTZ(3),
    "read_sequence" BIGINT NOT NULL,
    "is_full" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(6),
    "lease_owner" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "served_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_type" TEXT NOT NULL,
    "app_env_id" TEXT,
    "lane" TEXT NOT NULL,
    "status" "WebhookDeliveryStatus" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_attempt_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "answer_status" INTEGER,
    "answer" TEXT,
    "error" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "attempted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered" BOOLEAN NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "answer_status" INTEGER,
    "error" TEXT,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateTable
CREATE TABLE "usage_interval" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "env_name" TEXT NOT NULL,
    "kind" "UsageKind" NOT NULL,
    "source_id" TEXT NOT NULL,
    "content_id" TEXT,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "amount" BIGINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "has_ended" BOOLEAN NOT NULL DEFAULT false,
    "restart_count" INTEGER NOT NULL DEFAULT 0,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_interval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_account" (
    "account_id" TEXT NOT NULL,
    "open_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_account_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "usage_price" (
    "account_id" TEXT NOT NULL,
    "day" TEXT NOT NULL,
    "z_cloud_hour_price" INTEGER NOT NULL,
    "job_z_cloud_hour_price" INTEGER NOT NULL,
    "build_minute_price" INTEGER NOT NULL DEFAULT 0,
    "frozen_gb_month_price" INTEGER NOT NULL,
    "volume_gb_month_price" INTEGER NOT NULL,
    "backup_gb_month_price" INTEGER NOT NULL,

    CONSTRAINT "usage_price_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "usage_statement" (
    "account_id" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "lines" JSONB NOT NULL,
    "total" TEXT NOT NULL,
    "frozen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_statement_pkey" PRIMARY KEY ("account_id","month")
);

-- CreateTable
CREATE TABLE "budget" (
    "account_id" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "budget_alert" (
    "account_id" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "percent" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_alert_pkey" PRIMARY KEY ("account_id","month","percent")
);

-- CreateTable
CREATE TABLE "git_hook" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "app_id" TEXT,
    "provider" "GitHookProvider" NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_data" TEXT NOT NULL,
    "status_api_url" TEXT,
    "status_error" TEXT,
    "former_secret_until" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_hook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "git_delivery" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "delivery_key" TEXT NOT NULL,
    "provider" "GitHookProvider" NOT NULL,
    "event" TEXT NOT NULL,
    "repository" TEXT,
    "branch" TEXT,
    "from_commit_id" TEXT,
    "commit_id" TEXT,
    "pusher" TEXT,
    "pull_request_number" INTEGER,
    "pull_request_action" TEXT,
    "happened_at" TIMESTAMPTZ(3),
    "outcome" "GitDeliveryOutcome" NOT NULL,
    "reason" TEXT,
    "message" TEXT NOT NULL,
    "environments" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "git_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "commit_status" (
    "operation_id" TEXT NOT NULL,
    "app_env_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "provider" "GitHookProvider" NOT NULL,
    "project" TEXT NOT NULL,
    "commit_id" TEXT NOT NULL,
    "installation_id" TEXT,
    "reported" TEXT,
    "error" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commit_status_pkey" PRIMARY KEY ("operation_id")
);

-- CreateTable
CREATE TABLE "auto_deploy" (
    "app_env_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "watch_paths" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auto_deploy_pkey" PRIMARY KEY ("app_env_id")
);

-- CreateTable
CREATE TABLE "pull_request_envs" (
    "app_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "base_app_env_id" TEXT NOT NULL,
    "target_branches" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_after_hours" INTEGER NOT NULL,
    "max_app_envs" INTEGER NOT NULL,
    "copy_secrets" BOOLEAN NOT NULL DEFAULT false,
    "allow_forks" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pull_request_envs_pkey" PRIMARY KEY ("app_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "installation_singleton_key" ON "installation"("singleton");

-- CreateIndex
CREATE UNIQUE INDEX "account_slug_key" ON "account"("slug");

-- CreateIndex
CREATE INDEX "git_installation_account_id_idx" ON "git_installation"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "passkey_credential_id_key" ON "passkey"("credential_id");

-- CreateIndex
CREATE INDEX "passkey_user_id_idx" ON "passkey"("user_id");

-- CreateIndex
CREATE INDEX "recovery_code_user_id_idx" ON "recovery_code"("user_id");

-- CreateIndex
CREATE INDEX "company_identity_user_id_idx" ON "company_identity"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_challenge_user_id_idx" ON "sign_in_challenge"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_challenge_expires_at_idx" ON "sign_in_challenge"("expires_at");

-- CreateIndex
CREATE INDEX "membership_user_id_idx" ON "membership"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitation_hash_key" ON "invitation"("hash");

-- CreateIndex
CREATE INDEX "invitation_account_id_id_idx" ON "invitation"("account_id", "id");

-- CreateIndex
CREATE INDEX "invitation_token_id_idx" ON "invitation"("token_id");

-- CreateIndex
CREATE INDEX "invitation_user_id_idx" ON "invitation"("user_id");

-- CreateIndex
CREATE INDEX "credential_account_id_id_idx" ON "credential"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "credential_account_id_default_for_key" ON "credential"("account_id", "default_for");

-- CreateIndex
CREATE INDEX "service_credentials_account_id_idx" ON "service_credentials"("account_id");

-- CreateIndex
CREATE INDEX "pulled_image_image_id_idx" ON "pulled_image"("image_id");

-- CreateIndex
CREATE UNIQUE INDEX "token_hash_key" ON "token"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "token_previous_hash_key" ON "token"("previous_hash");

-- CreateIndex
CREATE INDEX "token_user_id_idx" ON "token"("user_id");

-- CreateIndex
CREATE INDEX "token_app_env_id_idx" ON "token"("app_env_id");

-- CreateIndex
CREATE INDEX "token_parent_id_idx" ON "token"("parent_id");

-- CreateIndex
CREATE INDEX "token_authorization_id_idx" ON "token"("authorization_id");

-- CreateIndex
CREATE INDEX "oauth_client_used_at_idx" ON "oauth_client"("used_at");

-- CreateIndex
CREATE INDEX "oauth_authorization_user_id_idx" ON "oauth_authorization"("user_id");

-- CreateIndex
CREATE INDEX "oauth_authorization_client_id_idx" ON "oauth_authorization"("client_id");

-- CreateIndex
CREATE INDEX "oauth_authorization_parent_id_idx" ON "oauth_authorization"("parent_id");

-- CreateIndex
CREATE INDEX "oauth_state_lookup_hash_idx" ON "oauth_state"("lookup_hash");

-- CreateIndex
CREATE INDEX "oauth_state_authorization_id_idx" ON "oauth_state"("authorization_id");

-- CreateIndex
CREATE INDEX "oauth_state_expires_at_idx" ON "oauth_state"("expires_at");

-- CreateIndex
CREATE INDEX "app_image_pull_account_secret_id_idx" ON "app"("image_pull_account_secret_id");

-- CreateIndex
CREATE INDEX "app_build_pull_account_secret_id_idx" ON "app"("build_pull_account_secret_id");

-- CreateIndex
CREATE INDEX "app_account_id_id_idx" ON "app"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "app_account_id_slug_live" ON "app"("account_id", "slug") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "app_env_volume_id_key" ON "app_env"("volume_id");

-- CreateIndex
CREATE UNIQUE INDEX "app_env_current_content_id_key" ON "app_env"("current_content_id");

-- CreateIndex
CREATE INDEX "app_env_expiring" ON "app_env"("expires_at") WHERE (expires_at IS NOT NULL AND deleted_at IS NULL);

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
CREATE INDEX "host_check_at_idx" ON "host"("check_at");

-- CreateIndex
CREATE UNIQUE INDEX "external_access_port_key" ON "external_access"("port");

-- CreateIndex
CREATE INDEX "volume_account_id_id_idx" ON "volume"("account_id", "id");

-- CreateIndex
CREATE INDEX "content_app_env_id_build_key_idx" ON "content"("app_env_id", "build_key");

-- CreateIndex
CREATE INDEX "content_app_env_id_created_at_id_idx" ON "content"("app_env_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "content_app_env_id_deployed_at_idx" ON "content"("app_env_id", "deployed_at");

-- CreateIndex
CREATE UNIQUE INDEX "content_app_env_id_version_key" ON "content"("app_env_id", "version");

-- CreateIndex
CREATE INDEX "upload_app_env_id_id_idx" ON "upload"("app_env_id", "id");

-- CreateIndex
CREATE INDEX "upload_token_id_idx" ON "upload"("token_id");

-- CreateIndex
CREATE INDEX "operation_app_env_id_created_at_idx" ON "operation"("app_env_id", "created_at");

-- CreateIndex
CREATE INDEX "operation_app_env_id_id_idx" ON "operation"("app_env_id", "id");

-- CreateIndex
CREATE INDEX "operation_account_id_created_at_idx" ON "operation"("account_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "operation_one_open_per_app_env" ON "operation"("app_env_id") WHERE (status IN ('QUEUED', 'RUNNING'));

-- CreateIndex
CREATE INDEX "backup_app_env_id_id_idx" ON "backup"("app_env_id", "id");

-- CreateIndex
CREATE INDEX "backup_account_id_id_idx" ON "backup"("account_id", "id");

-- CreateIndex
CREATE INDEX "backup_archive_id_idx" ON "backup"("archive_id");

-- CreateIndex
CREATE INDEX "backup_storage_credential_id_idx" ON "backup"("storage_credential_id");

-- CreateIndex
CREATE INDEX "log_archive_app_env_id_id_idx" ON "log_archive"("app_env_id", "id");

-- CreateIndex
CREATE INDEX "log_archive_volume_id_idx" ON "log_archive"("volume_id");

-- CreateIndex
CREATE INDEX "log_archive_account_id_idx" ON "log_archive"("account_id");

-- CreateIndex
CREATE INDEX "log_piece_archive_id_number_idx" ON "log_piece"("archive_id", "number");

-- CreateIndex
CREATE INDEX "log_piece_status_idx" ON "log_piece"("status");

-- CreateIndex
CREATE UNIQUE INDEX "log_piece_number_whole" ON "log_piece"("archive_id", "number") WHERE (status = 'AVAILABLE');

-- CreateIndex
CREATE INDEX "replica_app_env_id_idx" ON "replica"("app_env_id");

-- CreateIndex
CREATE INDEX "request_scaling_depth_depth_since_idx" ON "request_scaling"("depth", "depth_since");

-- CreateIndex
CREATE INDEX "request_load_app_env_id_idx" ON "request_load"("app_env_id");

-- CreateIndex
CREATE INDEX "wake_app_env_id_created_at_idx" ON "wake"("app_env_id", "created_at");

-- CreateIndex
CREATE INDEX "job_run_app_env_id_release_key_idx" ON "job_run"("app_env_id", "release_key");

-- CreateIndex
CREATE INDEX "job_run_app_env_id_status_queue_number_idx" ON "job_run"("app_env_id", "status", "queue_number");

-- CreateIndex
CREATE INDEX "job_run_status_due_at_idx" ON "job_run"("status", "due_at");

-- CreateIndex
CREATE INDEX "job_run_app_env_id_id_idx" ON "job_run"("app_env_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "job_run_app_env_id_scheduled_for_key" ON "job_run"("app_env_id", "scheduled_for");

-- CreateIndex
CREATE UNIQUE INDEX "job_run_one_release_per_content" ON "job_run"("content_id") WHERE (release_key IS NOT NULL AND status IN ('RUNNING', 'SUCCEEDED'));

-- CreateIndex
CREATE INDEX "job_attempt_remove_at_idx" ON "job_attempt"("remove_at");

-- CreateIndex
CREATE UNIQUE INDEX "job_schedule_app_env_id_key" ON "job_schedule"("app_env_id");

-- CreateIndex
CREATE INDEX "job_schedule_next_at_idx" ON "job_schedule"("next_at");

-- CreateIndex
CREATE INDEX "event_app_env_id_sequence_idx" ON "event"("app_env_id", "sequence");

-- CreateIndex
CREATE INDEX "event_operation_id_sequence_idx" ON "event"("operation_id", "sequence");

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_target_id_sequence_idx" ON "audit_entry"("event_sequence_id", "target_id", "sequence");

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_actor_id_sequence_idx" ON "audit_entry"("event_sequence_id", "actor_id", "sequence");

-- CreateIndex
CREATE INDEX "audit_entry_event_sequence_id_action_sequence_idx" ON "audit_entry"("event_sequence_id", "action", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_event_sequence_id_sequence_key" ON "audit_entry"("event_sequence_id", "sequence");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "container_container_id_key" ON "container"("container_id");

-- CreateIndex
CREATE INDEX "container_app_env_id_idx" ON "container"("app_env_id");

-- CreateIndex
CREATE INDEX "container_removed_at_idx" ON "container"("removed_at");

-- CreateIndex
CREATE UNIQUE INDEX "log_stream_app_env_id_kind_key" ON "log_stream"("app_env_id", "kind");

-- CreateIndex
CREATE INDEX "log_line_log_stream_id_at_number_idx" ON "log_line"("log_stream_id", "at", "number");

-- CreateIndex
CREATE INDEX "solution_installation_account_id_id_idx" ON "solution_installation"("account_id", "id");

-- CreateIndex
CREATE INDEX "solution_installation_status_idx" ON "solution_installation"("status");

-- CreateIndex
CREATE INDEX "rate_count_ends_at_idx" ON "rate_count"("ends_at");

-- CreateIndex
CREATE INDEX "webhook_account_id_id_idx" ON "webhook"("account_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_id_idx" ON "webhook_delivery"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_waiting" ON "webhook_delivery"("webhook_id", "lane", "sequence") WHERE (status = 'PENDING');

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_webhook_id_sequence_key" ON "webhook_delivery"("webhook_id", "sequence");

-- CreateIndex
CREATE INDEX "usage_interval_source_id_id_idx" ON "usage_interval"("source_id", "id");

-- CreateIndex
CREATE INDEX "usage_interval_account_id_until_idx" ON "usage_interval"("account_id", "until");

-- CreateIndex
CREATE UNIQUE INDEX "usage_interval_one_open_per_source" ON "usage_interval"("source_id") WHERE (NOT has_ended);

-- CreateIndex
CREATE INDEX "git_hook_account_id_id_idx" ON "git_hook"("account_id", "id");

-- CreateIndex
CREATE INDEX "git_hook_app_id_idx" ON "git_hook"("app_id");

-- CreateIndex
CREATE INDEX "git_delivery_account_id_id_idx" ON "git_delivery"("account_id", "id");

-- CreateIndex
CREATE INDEX "git_delivery_account_id_repository_branch_id_idx" ON "git_delivery"("account_id", "repository", "branch", "id");

-- CreateIndex
CREATE INDEX "git_delivery_pull_request" ON "git_delivery"("account_id", "repository", "pull_request_number", "id") WHERE (pull_request_number IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "git_delivery_account_id_source_delivery_key_key" ON "git_delivery"("account_id", "source", "delivery_key");

-- CreateIndex
CREATE INDEX "commit_status_waiting" ON "commit_status"("due_at") WHERE (ended_at IS NULL);

-- CreateIndex
CREATE INDEX "commit_status_app_env_id_commit_id_idx" ON "commit_status"("app_env_id", "commit_id");

-- CreateIndex
CREATE INDEX "auto_deploy_user_id_idx" ON "auto_deploy"("user_id");

-- CreateIndex
CREATE INDEX "pull_request_envs_user_id_idx" ON "pull_request_envs"("user_id");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_plan_code_fkey" FOREIGN KEY ("plan_code") REFERENCES "plan"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_usage" ADD CONSTRAINT "account_usage_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "git_installation" ADD CONSTRAINT "git_installation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_current_account_id_fkey" FOREIGN KEY ("current_account_id") REFERENCES "account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_password" ADD CONSTRAINT "user_password_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "code_generator" ADD CONSTRAINT "code_generator_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "company_identity" ADD CONSTRAINT "company_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_challenge" ADD CONSTRAINT "sign_in_challenge_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_credentials" ADD CONSTRAINT "service_credentials_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pulled_image" ADD CONSTRAINT "pulled_image_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "token"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_authorization" ADD CONSTRAINT "oauth_authorization_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_authorization" ADD CONSTRAINT "oauth_authorization_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_authorization" ADD CONSTRAINT "oauth_authorization_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "token"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_state" ADD CONSTRAINT "oauth_state_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_volume_id_fkey" FOREIGN KEY ("volume_id") REFERENCES "volume"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_env" ADD CONSTRAINT "app_env_service_credentials_id_fkey" FOREIGN KEY ("service_credentials_id") REFERENCES "service_credentials"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "variable" ADD CONSTRAINT "variable_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "host" ADD CONSTRAINT "host_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_access" ADD CONSTRAINT "external_access_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume" ADD CONSTRAINT "volume_region_code_fkey" FOREIGN KEY ("region_code") REFERENCES "region"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume" ADD CONSTRAINT "volume_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume" ADD CONSTRAINT "volume_service_credentials_id_fkey" FOREIGN KEY ("service_credentials_id") REFERENCES "service_credentials"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "content" ADD CONSTRAINT "content_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "token"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "content"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_backup_id_fkey" FOREIGN KEY ("backup_id") REFERENCES "backup"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "backup" ADD CONSTRAINT "backup_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "backup" ADD CONSTRAINT "backup_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "log_archive"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "log_archive" ADD CONSTRAINT "log_archive_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "log_piece" ADD CONSTRAINT "log_piece_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "log_archive"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replica" ADD CONSTRAINT "replica_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replica" ADD CONSTRAINT "replica_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "content"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_scaling" ADD CONSTRAINT "request_scaling_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wake" ADD CONSTRAINT "wake_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_run" ADD CONSTRAINT "job_run_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_run" ADD CONSTRAINT "job_run_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "content"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_attempt" ADD CONSTRAINT "job_attempt_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "job_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_schedule" ADD CONSTRAINT "job_schedule_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "solution_installation" ADD CONSTRAINT "solution_installation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "solution_component" ADD CONSTRAINT "solution_component_installation_id_fkey" FOREIGN KEY ("installation_id") REFERENCES "solution_installation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "git_hook" ADD CONSTRAINT "git_hook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "git_hook" ADD CONSTRAINT "git_hook_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "git_delivery" ADD CONSTRAINT "git_delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "commit_status" ADD CONSTRAINT "commit_status_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_deploy" ADD CONSTRAINT "auto_deploy_app_env_id_fkey" FOREIGN KEY ("app_env_id") REFERENCES "app_env"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_deploy" ADD CONSTRAINT "auto_deploy_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pull_request_envs" ADD CONSTRAINT "pull_request_envs_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pull_request_envs" ADD CONSTRAINT "pull_request_envs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows is not in prisma/schema.prisma: a check, functions and triggers. Neither is that tables are UNLOGGED.

-- One name has one spelling, so that the unique index on host refuses a second owner whatever code wrote the row.
ALTER TABLE "host" ADD CONSTRAINT "host_is_canonical" CHECK (host = lower(host) AND host !~ '(^\.|\.$|\.\.)');

-- Entries of the audit log are written once. The role that Berth runs as gives its rights to change them away, and a
-- trigger refuses whoever has them all the same, such as a superuser.
REVOKE UPDATE, DELETE, TRUNCATE ON "public"."audit_entry" FROM CURRENT_USER;

CREATE FUNCTION "public"."refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Entries of the audit log cannot be changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "audit_entry_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "public"."audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "public"."refuse_audit_change"();

-- A statement is written once, and an interval that has ended does not change, whoever asks.
CREATE FUNCTION "public"."refuse_usage_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Statements, and usage that has ended, cannot be changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER "usage_statement_is_final" BEFORE UPDATE OR DELETE OR TRUNCATE ON "public"."usage_statement"
  FOR EACH STATEMENT EXECUTE FUNCTION "public"."refuse_usage_change"();

CREATE TRIGGER "usage_interval_is_append_only" BEFORE UPDATE ON "public"."usage_interval"
  FOR EACH ROW WHEN (OLD.has_ended) EXECUTE FUNCTION "public"."refuse_usage_change"();

-- What commands change is noted by the tables themselves, so that no command can forget it: a transaction that has set
-- berth.changes gets every changed row of these tables appended to it, as JSON, line by line. Others pay for one
-- comparison. src/events/audited-tables.ts says which columns the audit log may show.
CREATE FUNCTION "public"."note_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := current_setting('berth.changes');
  was jsonb;
  becomes jsonb;
BEGIN
  -- Appending copies what is there: one transaction may change any number of rows.
  IF octet_length(noted) > 524288 THEN
    PERFORM set_config('berth.changes_left_out',
      (coalesce(nullif(current_setting('berth.changes_left_out', true), ''), '0')::int + 1)::text, true);
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN becomes := to_jsonb(NEW); END IF;
  IF TG_OP = 'UPDATE' THEN
    IF was ? 'deleted_at' AND was ->> 'deleted_at' IS NULL AND becomes ->> 'deleted_at' IS NOT NULL THEN
      becomes := NULL;
    ELSE
      SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, becomes -> key) INTO was, becomes
      FROM jsonb_each(was)
      WHERE value IS DISTINCT FROM becomes -> key
        OR key IN ('id', 'code', 'name', 'cli_env_name', 'host', 'email', 'account_id', 'app_id', 'app_env_id',
          'user_id', 'installation_id');
    END IF;
  END IF;
  PERFORM set_config('berth.changes',
    noted || E'\n' || jsonb_build_object('table', TG_TABLE_NAME, 'before', was, 'after', becomes)::text, true);
  RETURN NULL;
END
$$;

-- The name sorts before those of foreign keys, whose triggers delete what hangs on a row: the row is noted first.
DO $$
DECLARE
  one text;
BEGIN
  -- Parts of something else: adding one changes it.
  FOREACH one IN ARRAY ARRAY['membership', 'variable', 'host', 'external_access', 'job_schedule', 'auto_deploy',
    'git_installation', 'budget', 'pull_request_envs'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER INSERT OR UPDATE OR DELETE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
  FOREACH one IN ARRAY ARRAY['account', 'user', 'invitation', 'credential', 'service_credentials', 'token',
    'oauth_authorization', 'region', 'plan', 'app', 'app_env', 'volume', 'backup', 'solution_installation', 'webhook',
    'git_hook'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER UPDATE OR DELETE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
  -- Records of what happened: they go with what they belong to.
  FOREACH one IN ARRAY ARRAY['content', 'operation', 'job_run', 'webhook_delivery'] LOOP
    EXECUTE format('CREATE TRIGGER "NoteChange" AFTER UPDATE ON "public".%I FOR EACH ROW
      WHEN (current_setting(''berth.changes'', true) <> '''') EXECUTE FUNCTION "public"."note_change"()', one);
  END LOOP;
END
$$;
