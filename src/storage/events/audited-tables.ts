/** A table whose changes by commands are shown in the audit log. */
export interface AuditedTable {
  /** What a row is, as `targetType` calls it. */
  type: string
  /** Column that identifies a row; `id` when omitted. */
  id?: string
  /** Column by which people know a row. */
  label?: string
  /** Columns that make a row the same one after it was deleted and inserted again; its id when omitted. */
  key?: readonly string[]
  /** Columns whose values are shown. A column in none of the lists is masked: only its name is shown. */
  shown: string
  /** Columns that callers do not set. */
  omitted?: string
  /** Fields that the APIs call otherwise than the column. */
  as?: Readonly<Record<string, string>>
}

/** Of any table: what names the row, and what Berth keeps for itself. */
export const OMITTED =
  'id code account_id app_env_id created_at updated_at deleted_at version due_at lease_owner lease_expires_at lease_token unfinished_claims'

const SIZE = 'containers z_clouds cpu memory_mb auto_scaling'
const OBSERVED = 'health replicas_running replicas_ready observed_at observed_reason restart_count'
const PRICES =
  'z_cloud_hour_price job_z_cloud_hour_price build_minute_price frozen_gb_month_price volume_gb_month_price backup_gb_month_price'

/**
 * By name. Build arguments, headers of health checks and values of variables may hold secrets, whatever they are marked
 * as: they are masked.
 */
export const AUDITED_TABLES: Readonly<Record<string, AuditedTable>> = {
  account: {
    type: 'account',
    label: 'name',
    shown: 'name slug plan_code is_verified allow_auto_scaling allow_functions entitlements',
    as: { plan_code: 'plan' },
  },
  git_installation: { type: 'gitInstallation', id: 'installation_id', shown: 'installation_id user_id' },
  user: {
    type: 'user',
    label: 'email',
    shown: 'email username is_installation_admin is_invited',
    // The entry may be read in an account that has nothing to do with it.
    omitted: 'current_account_id',
  },
  membership: { type: 'member', id: 'user_id', shown: 'roles restricted app_env_ids', omitted: 'user_id' },
  invitation: {
    type: 'invitation',
    label: 'email',
    shown: 'email roles restricted app_env_ids token_id expires_at accepted_at user_id revoked_at',
  },
  credential: {
    type: 'credential',
    label: 'name',
    shown: 'type name public_data default_for checked_at',
    as: { public_data: 'data' },
  },
  service_credentials: { type: 'serviceCredentials', shown: 'rotated_at' },
  token: {
    type: 'token',
    label: 'name',
    shown: 'kind name user_id scopes parent_id authorization_id previous_until expires_at revoked_at',
    omitted: 'last_used_at',
  },
  oauth_authorization: {
    type: 'authorization',
    shown: 'user_id client_id parent_id scopes resource expires_at revoked_at',
    omitted: 'last_used_at',
  },
  region: {
    type: 'region',
    id: 'code',
    label: 'name',
    shown: 'name functions_supported sandbox_addon_ready public_gateway_ready domain engine reach_address',
  },
  plan: {
    type: 'plan',
    id: 'code',
    label: 'name',
    shown: `name functions_included autoscaling_included max_apps max_app_envs max_containers max_z_clouds max_build_minutes build_resources max_build_resources log_days metric_days ${PRICES}`,
  },
  app: {
    type: 'app',
    label: 'name',
    shown:
      'name slug type docker_preset docker_preset_version builder port use_image image git_provider git_namespace git_repo git_installation_id is_cli_deployment context_dir dockerfile_path custom_dockerfile_content build_target health_check_path health_check_port health_check image_pull_account_secret_id build_pull_account_secret_id build_resources volume_path type_config',
  },
  app_env: {
    type: 'appEnv',
    label: 'cli_env_name',
    shown: `app_id name slug cli_env_name deployment_name region_code git_branch ${SIZE} startup_config release_command container_settings network_group network_aliases health_check volume_id type_config preset_version service_credentials_id backup_schedule allow_user_cli_token prevent_destroy expires_at pull_request pending_image status current_content_id`,
    omitted: `rollout_id last_version replicas_desired ${OBSERVED} last_restart_at last_restart_reason next_backup_at`,
    as: { region_code: 'region' },
  },
  app_label: {
    type: 'appLabel',
    id: 'app_id',
    label: 'key',
    key: ['app_id', 'key'],
    shown: 'value',
    omitted: 'app_id key',
  },
  app_env_label: {
    type: 'appEnvLabel',
    id: 'app_env_id',
    label: 'key',
    key: ['app_env_id', 'key'],
    shown: 'value',
    omitted: 'key',
  },
  variable: {
    type: 'variable',
    label: 'name',
    key: ['app_env_id', 'name'],
    shown: 'name type is_secret',
    // Values are sealed anew with each write; the fingerprint says whether one has changed.
    omitted: 'sealed_value references references_changed_at',
    as: { fingerprint: 'value' },
  },
  host: {
    type: 'host',
    label: 'host',
    shown: 'host is_auto_generated status',
    omitted: 'reason last_validation_at was_valid failures check_at',
  },
  external_access: { type: 'externalAccess', id: 'app_env_id', shown: 'port allowed_cidrs max_connections' },
  volume: {
    type: 'volume',
    label: 'cli_env_name',
    shown: 'cli_env_name region_code path disk_mb preset_version service_credentials_id',
    omitted: 'used_mb full_percent operation_id',
  },
  content: {
    type: 'deployment',
    shown:
      'status reason message type image git_branch git_commit_id git_commit from_content_id promoted_from volume_deleted',
    omitted: 'requested_by image_digest image_from_cache build_key build_use deployed_at finished_at',
  },
  operation: {
    type: 'operation',
    shown: 'status reason message kind is_dead_letter content_id backup_id point_in_time retries_id',
    omitted:
      'request_id requested_by max_attempts steps attempt runs_alone not_before deadline_at started_at finished_at previous_status',
  },
  backup: {
    type: 'backup',
    label: 'cli_env_name',
    shown: 'cli_env_name kind status preset_version storage_credential_id size_bytes message verified_at is_base',
    omitted:
      'operation_id file unfinished has_leftovers sha256 verify_message archive_id first_piece consistent_piece restorable_from finished_at',
  },
  job_run: {
    type: 'jobRun',
    shown: 'status reason message trigger cancel_reason content_id content_version max_concurrency retries_id',
    omitted:
      'request_id requested_by queue_number queued_at release_key scheduled_for output exit_code logs_truncated deadline_at started_at finished_at',
  },
  job_schedule: {
    type: 'jobSchedule',
    key: ['app_env_id'],
    shown: 'cron time_zone enabled catch_up',
    omitted: 'revision next_at',
  },
  solution_installation: {
    type: 'installation',
    label: 'app_name',
    shown: 'solution_slug revision app_name region_code status requested_by',
    omitted: 'fingerprint post_install_note finished_at',
  },
  webhook: {
    type: 'webhook',
    label: 'name',
    // The address may lead to a service that asks for no other secret: it is masked.
    shown: 'kind name event_types is_enabled disabled_reason former_secret_until',
    omitted: 'failing_since read_sequence is_full served_at',
    as: { is_enabled: 'enabled' },
  },
  webhook_delivery: {
    type: 'webhookDelivery',
    shown: 'status',
    omitted:
      'webhook_id sequence event_type queue attempts failures last_attempt_at duration_ms answer_status answer error ended_at',
  },
  budget: { type: 'budget', id: 'account_id', shown: 'amount_micros' },
  git_hook: {
    type: 'gitHook',
    label: 'name',
    shown: 'app_id provider name status_api_url former_secret_until',
    omitted: 'status_error',
  },
  pull_request_envs: {
    type: 'pullRequestEnvs',
    id: 'app_id',
    shown: 'user_id base_app_env_id target_branches expires_after_hours max_app_envs copy_secrets allow_forks',
    omitted: 'app_id',
  },
  auto_deploy: { type: 'autoDeploy', id: 'app_env_id', shown: 'user_id watch_paths' },
}
