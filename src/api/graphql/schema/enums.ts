import { type Enumeration, enumeration } from '../../../calls/enumeration.ts'
import { listOrder, namedOrder } from '../../../calls/order.ts'
import { REASONS } from '../../../domain/reasons.ts'
import { entitlement } from '../../../services/account/account-fields.ts'
import { invitationStatus } from '../../../services/account/invitation-fields.ts'
import { role } from '../../../services/account/member-fields.ts'
import { health, sleepDepth } from '../../../services/app-env/app-env-status-fields.ts'
import { variableType } from '../../../services/app-env/variable-fields.ts'
import { appTypeEnumerations, logType } from '../../../services/app-type/app-type-fields.ts'
import { actorType } from '../../../services/audit/audit-entry-fields.ts'
import { backupKind, backupStatus } from '../../../services/backup/backup-fields.ts'
import { changeKind } from '../../../services/configuration/pending-change-fields.ts'
import { credentialType, credentialUse } from '../../../services/credential/credential-fields.ts'
import { settingType } from '../../../services/database-preset/database-preset-fields.ts'
import { deploymentStatus, deploymentType } from '../../../services/deployment/deployment-fields.ts'
import { eventType } from '../../../services/event/event-fields.ts'
import { gitDeliveryOutcome } from '../../../services/git-hook/git-delivery-fields.ts'
import { gitHookProvider } from '../../../services/git-hook/git-hook-fields.ts'
import { healthCheckTypes, probeType } from '../../../services/health-check/health-check-fields.ts'
import { certificateState, dnsRecordType, dnsWay } from '../../../services/host/host-dns-fields.ts'
import { hostStatus } from '../../../services/host/host-fields.ts'
import { jobRunStatus, jobRunTrigger } from '../../../services/job-run/job-run-fields.ts'
import { logFileFormat } from '../../../services/log/download-logs.ts'
import { logLevel, logStream } from '../../../services/log/log-line-fields.ts'
import { metric, metricSplit, metricStep, metricUnit } from '../../../services/metric/metric-fields.ts'
import { authorizationStatus } from '../../../services/oauth/authorization-fields.ts'
import { operationKind, operationStatus } from '../../../services/operation/operation-fields.ts'
import { terminationReason } from '../../../services/pod/pod-fields.ts'
import { searchKind } from '../../../services/search/search-fields.ts'
import { solutionCategory, solutionInputType } from '../../../services/solution/solution-fields.ts'
import { componentState, installationStatus } from '../../../services/solution/solution-installation-fields.ts'
import { sourceInspectionStatus } from '../../../services/source/source-inspection-fields.ts'
import { appEnvStatus } from '../../../services/targets/app-env-reference.ts'
import { scope, tokenKind } from '../../../services/token/token-fields.ts'
import { usageKind, usageUnit } from '../../../services/usage/usage-fields.ts'
import { webhookDeliveryStatus } from '../../../services/webhook/webhook-delivery-fields.ts'
import { webhookDisabledReason, webhookKind } from '../../../services/webhook/webhook-fields.ts'
import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'
import { describedEnum } from '../derive/described-enum.ts'

export const AppEnvStatusEnum = describedEnum(appEnvStatus)
export const GitDeliveryOutcomeEnum = describedEnum(gitDeliveryOutcome)
export const HealthEnum = describedEnum(health)
export const JobRunStatusEnum = describedEnum(jobRunStatus)
export const JobRunTriggerEnum = describedEnum(jobRunTrigger)
export const ListOrderEnum = describedEnum(listOrder)
export const LogLevelEnum = describedEnum(logLevel)
export const LogStreamEnum = describedEnum(logStream)
export const LogTypeEnum = describedEnum(logType)
export const MetricEnum = describedEnum(metric)
export const MetricSplitEnum = describedEnum(metricSplit)
export const MetricStepEnum = describedEnum(metricStep)
export const WebhookDeliveryStatusEnum = describedEnum(webhookDeliveryStatus)

const mapped = <Name extends string, Value>(of: Record<Name, Value>, words: (value: Value) => string) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, words(value as Value)])) as Record<Name, string>

const reasons: Record<string, string> = Object.assign({}, ...Object.values(REASONS))

const OTHERS: readonly Enumeration[] = [
  ...appTypeEnumerations,
  namedOrder,
  searchKind,
  deploymentStatus,
  deploymentType,
  operationKind,
  operationStatus,
  changeKind,
  hostStatus,
  dnsRecordType,
  dnsWay,
  certificateState,
  logFileFormat,
  sourceInspectionStatus,
  eventType,
  backupKind,
  backupStatus,
  metricUnit,
  sleepDepth,
  variableType,
  role,
  tokenKind,
  scope,
  credentialType,
  terminationReason,
  settingType,
  webhookKind,
  webhookDisabledReason,
  usageKind,
  usageUnit,
  gitHookProvider,
  solutionCategory,
  solutionInputType,
  componentState,
  installationStatus,
  invitationStatus,
  entitlement,
  authorizationStatus,
  credentialUse,
  healthCheckTypes,
  probeType,
  enumeration('Builder', 'Builder that makes an image of source.', {
    DOCKER: 'Docker builds a Dockerfile.',
    NIXPACKS: 'Nixpacks finds out how to build the source.',
  }),
  actorType,
  // No field has them: they are `extensions.code` and `extensions.reason` of errors.
  enumeration(
    'ErrorCode',
    'Codes of errors, `extensions.code`.',
    mapped(ERROR_CATALOGUE, ({ meaning }) => meaning),
  ),
  enumeration('ErrorReason', 'Reasons of errors, `extensions.reason`, finer than the code.', reasons),
  enumeration('GitProvider', 'Service that hosts a git repository.', { GITHUB: 'The repository is on GitHub.' }),
]

for (const shown of OTHERS) describedEnum(shown)
