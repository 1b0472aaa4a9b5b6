import { entitlement } from '../../resources/account.ts'
import { appEnvStatus } from '../../resources/app-env.ts'
import { health, sleepDepth } from '../../resources/app-env-status.ts'
import { appTypeEnumerations, logType } from '../../resources/app-type-fields.ts'
import { authorizationStatus } from '../../resources/authorization.ts'
import { backupKind, backupStatus } from '../../resources/backup.ts'
import { credentialType, credentialUse } from '../../resources/credential.ts'
import { settingType } from '../../resources/database-preset.ts'
import { deploymentStatus, deploymentType } from '../../resources/deployment.ts'
import { type Enumeration, enumeration } from '../../resources/enumeration.ts'
import { eventType } from '../../resources/event.ts'
import { gitDeliveryOutcome } from '../../resources/git-delivery.ts'
import { gitHookProvider } from '../../resources/git-hook.ts'
import { healthCheckTypes, probeType } from '../../resources/health-check.ts'
import { hostStatus } from '../../resources/host.ts'
import { invitationStatus } from '../../resources/invitation.ts'
import { jobRunStatus, jobRunTrigger } from '../../resources/job-run.ts'
import { logLevel, logStream } from '../../resources/log-line.ts'
import { role } from '../../resources/member.ts'
import { metric, metricStep, metricUnit } from '../../resources/metric.ts'
import { operationKind, operationStatus } from '../../resources/operation.ts'
import { listOrder } from '../../resources/order.ts'
import { changeKind } from '../../resources/pending-change.ts'
import { terminationReason } from '../../resources/pod.ts'
import { solutionCategory, solutionInputType } from '../../resources/solution.ts'
import { componentState, installationStatus } from '../../resources/solution-installation.ts'
import { scope, tokenKind } from '../../resources/token.ts'
import { usageKind, usageUnit } from '../../resources/usage.ts'
import { variableType } from '../../resources/variable.ts'
import { webhookDisabledReason, webhookKind } from '../../resources/webhook.ts'
import { webhookDeliveryStatus } from '../../resources/webhook-delivery.ts'
import { describedEnum } from '../derive/described-enum.ts'

export const AppEnvStatusEnum = describedEnum(appEnvStatus)
export const GitDeliveryOutcomeEnum = describedEnum(gitDeliveryOutcome)
export const HealthEnum = describedEnum(health)
export const JobRunStatusEnum = describedEnum(jobRunStatus)
export const JobRunTriggerEnum = describedEnum(jobRunTrigger)
export const ListOrderEnum = describedEnum(listOrder)
export const LogStreamEnum = describedEnum(logStream)
export const LogTypeEnum = describedEnum(logType)
export const MetricEnum = describedEnum(metric)
export const MetricStepEnum = describedEnum(metricStep)
export const WebhookDeliveryStatusEnum = describedEnum(webhookDeliveryStatus)

const OTHERS: readonly Enumeration[] = [
  ...appTypeEnumerations,
  deploymentStatus,
  deploymentType,
  operationKind,
  operationStatus,
  changeKind,
  hostStatus,
  eventType,
  backupKind,
  backupStatus,
  metricUnit,
  logLevel,
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
  enumeration('GitProvider', 'Service that hosts a git repository.', { GITHUB: 'The repository is on GitHub.' }),
]

for (const shown of OTHERS) describedEnum(shown)
