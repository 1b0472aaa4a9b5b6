import { typeConfigFields } from '../../app-types/type-config.ts'
import { graphqlNames } from '../../app-types/wire-names.ts'
import { describedEnum } from '../derive/described-enum.ts'

const names = graphqlNames()

export const AppTypeEnum = describedEnum('AppType', 'What kind of program an app is.', names.AppType)

export const AppEnvStatusEnum = describedEnum('AppEnvStatus', 'Where an environment stands.', {
  PENDING: 'Nothing was ever deployed.',
  UPDATING: 'An operation is under way.',
  RUNNING: 'It runs, and can be reached.',
  STOPPED: 'Scaled to zero on request.',
})

export const HealthEnum = describedEnum('Health', 'How what runs compares with what should run.', {
  HEALTHY: 'As many containers are ready as there should be.',
  DEGRADED: 'Some containers are ready, and some are not.',
  UNHEALTHY: 'No container is ready.',
  UNKNOWN: 'Nothing should run, or nothing was observed yet.',
})

export const DeploymentStatusEnum = describedEnum('DeploymentStatus', 'How far a version has come.', {
  QUEUED: 'Waits for a worker.',
  BUILDING: 'Its image is being built.',
  BUILT: 'Its image is built.',
  DEPLOYING: 'Its containers are starting.',
  DEPLOYED: 'It was deployed successfully.',
  JOB_READY: 'Job runs can use it.',
  FAILED: 'It could not be deployed.',
  CANCELLED: 'It was given up before it was deployed.',
})

export const DeploymentTypeEnum = describedEnum('DeploymentType', 'Where the image of a version comes from.', {
  BUILD: 'Built from source.',
  IMAGE_FROM: 'A prebuilt image.',
})

export const OperationKindEnum = describedEnum('OperationKind', 'What an operation does.', {
  DEPLOY_IMAGE: 'Deploys a prebuilt image.',
  BUILD: 'Builds the source and deploys the result.',
  REDEPLOY: 'Starts the containers anew.',
  ROLLBACK: 'Brings an earlier version back.',
  STOP: 'Scales to zero.',
  START: 'Runs the current version of a stopped environment again.',
  APPLY_CHANGES: 'Applies pending changes.',
  DELETE: 'Removes what a deleted environment ran.',
})

export const OperationStatusEnum = describedEnum('OperationStatus', 'How far an operation has come.', {
  QUEUED: 'Waits for a worker.',
  RUNNING: 'A worker is busy with it.',
  SUCCEEDED: 'It has ended, and did what it was asked.',
  FAILED: 'It has ended, and did not.',
  CANCELLED: 'It was cancelled, or a newer operation took its place.',
})

export const ChangeKindEnum = describedEnum('ChangeKind', 'What applying a pending change takes.', {
  BUILD: 'A new build.',
  DEPLOY: 'New containers.',
  SCALE: 'More or fewer containers.',
})

export const HostStatusEnum = describedEnum('HostStatus', 'Whether a host leads to its environment.', {
  VALID: 'It does.',
  INVALID: 'It does not.',
  VALIDATING: 'Not known yet.',
})

export const VariableTypeEnum = describedEnum('VariableType', 'Who reads a variable.', {
  DEPLOY: 'Containers.',
  BUILD: 'Builds.',
  BOTH: 'Containers and builds.',
})

export const RoleEnum = describedEnum('Role', 'What a member may do in an account. Any role may read.', {
  ADMIN: 'Everything.',
  TECHNICAL: 'Changes and operates apps and environments.',
  BILLING: 'Sees usage and cost.',
  POD_ACCESS: 'Sees containers.',
  MANAGE_MEMBERS: 'Adds, changes and removes members.',
  AUDIT: 'Reads the audit log.',
  MANAGE_CREDENTIALS: 'Manages credentials.',
})

export const TokenKindEnum = describedEnum('TokenKind', 'What a token may do.', {
  USER: 'All that its user may.',
  ENVIRONMENT: 'Operates one environment.',
  SCOPED: 'What its user may, narrowed to its scopes.',
})

export const ScopeEnum = describedEnum(
  'Scope',
  'What a scoped token was given.',
  {
    SVC_READ: 'Read.',
    SVC_READ_SECRETS: 'Read secrets.',
    SVC_WRITE_CONFIG: 'Change settings.',
    SVC_WRITE_DEPLOY: 'Operate environments.',
    SVC_ADMIN: 'Administer.',
  },
  {
    SVC_READ: 'svc:read',
    SVC_READ_SECRETS: 'svc:read:secrets',
    SVC_WRITE_CONFIG: 'svc:write:config',
    SVC_WRITE_DEPLOY: 'svc:write:deploy',
    SVC_ADMIN: 'svc:admin',
  },
)

/** The column is text, so the type must not promise more. */
export const BuilderEnum = describedEnum<Record<string, string>>('Builder', 'What builds source into an image.', {
  DOCKER: 'A Dockerfile.',
  NIXPACKS: 'Nixpacks.',
})

describedEnum('GitProvider', 'Where a repository is kept.', { GITHUB: 'GitHub.' })

for (const { enums = [] } of typeConfigFields()) {
  for (const { name, about, values } of enums) describedEnum(name, about, values)
}

describedEnum(
  'HistoricalAppType',
  'Historical way to choose the type of an app.',
  names.HistoricalAppType.values,
  names.HistoricalAppType.inside,
)

export const DockerPresetEnum = describedEnum('DockerPreset', 'How an app is built and run.', names.DockerPreset)

export const CredentialTypeEnum = describedEnum('CredentialType', 'What a credential opens.', {
  CONTAINER_REGISTRY: 'A registry that images are pulled from.',
  BASIC_AUTH: 'A place behind user name and password.',
  OBJECT_STORAGE: 'A bucket of an object store.',
})

export const LogStreamEnum = describedEnum('LogStream', 'A stream that containers write to.', {
  STDOUT: 'Standard output.',
  STDERR: 'Standard error.',
})

export const LogTypeEnum = describedEnum('LogType', 'What says a line.', {
  ...names.LogType,
  BUILD: 'A build.',
})

export const MetricEnum = describedEnum('Metric', 'What is measured.', {
  CPU_USAGE: 'Processor, in millicores.',
  MEMORY_USAGE: 'Memory, in MB.',
  CPU_PERCENT: 'Processor, as a part of what is allowed.',
  MEMORY_PERCENT: 'Memory, as a part of what is allowed.',
})

export const MetricStepEnum = describedEnum('MetricStep', 'Time that one point of a series stands for.', {
  ONE_MINUTE: 'A minute.',
  FIVE_MINUTES: 'Five minutes.',
  FIFTEEN_MINUTES: 'A quarter of an hour.',
  ONE_HOUR: 'An hour.',
})

export const TerminationReasonEnum = describedEnum('TerminationReason', 'Why a container ended.', {
  OUT_OF_MEMORY: 'It had used up its memory.',
  COMPLETED: 'It ended by itself, without an error.',
  ERROR: 'It ended with an error, or was killed.',
})
