import { z } from 'zod'
import { engineOf } from '../../app-types/behaviours.ts'
import { dataProblem } from '../../app-types/engines/upgrades.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { BuildStepUse, BuildUse } from '../../domain/build-use.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { GitCommit } from '../../domain/git-commit.ts'
import type { PromotedFrom } from '../../domain/promoted-from.ts'
import { type Refusal, refuseRollback } from '../../domain/rollback.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'

const number = z.number()
const step = fieldsOf<BuildStepUse>()

const buildStepUse = resource({
  name: 'BuildStepUse',
  description: 'A step of a build.',
  fields: {
    name: step.column('name', text, 'Instruction of the step, shortened, with its place in the Dockerfile.'),
    seconds: step.column('seconds', number, 'Time that the step took, in seconds.'),
    isCached: step.column('isCached', flag, 'Whether the result of the step came from the build cache.'),
  },
})

const use = fieldsOf<BuildUse>()

const buildUse = resource({
  name: 'BuildUse',
  description: 'Resources that the build of a version used.',
  fields: {
    memoryPeakMb: use.column('memoryPeakMb', number, 'Peak memory of the build in MB.'),
    cpuSeconds: use.column('cpuSeconds', number, 'CPU time of the build, in seconds.'),
    writtenMb: use.column('writtenMb', number, 'Size of the new layers on the builder’s disk, in MB.'),
    sentMb: use.column('sentMb', number, 'Size of the build context, in MB.'),
    cacheMb: use.column('cacheMb', number, 'Size of the account’s build cache after the build, in MB.'),
    steps: use.json('steps', z.array(buildStepUse.answer.type), 'Steps of the build, the first 200.'),
  },
})

export const deploymentStatus = enumeration('DeploymentStatus', 'Progress of a version.', {
  QUEUED: 'The version waits for a worker.',
  BUILDING: 'The image is being built.',
  BUILT: 'The image is built.',
  DEPLOYING: 'The containers are starting.',
  DEPLOYED: 'The version was deployed successfully.',
  JOB_READY: 'Runs can be started with the version.',
  FAILED: 'The version could not be deployed.',
  CANCELLED: 'The version was cancelled before it was deployed.',
})

export const deploymentType = enumeration('DeploymentType', 'Source of a version’s image.', {
  BUILD: 'The image is built from source.',
  IMAGE_FROM: 'The image is a prebuilt one.',
})

const LABELS: Record<Content['status'], string> = {
  QUEUED: 'Queued',
  BUILDING: 'Building',
  BUILT: 'Built',
  DEPLOYING: 'Deploying',
  DEPLOYED: 'Deployed',
  JOB_READY: 'Ready to run',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

const origin = fieldsOf<PromotedFrom>()

const promotedFrom = resource({
  name: 'PromotedFrom',
  description: 'Version of another environment whose image a version runs.',
  fields: {
    appEnvId: origin.column('appEnvId', text, 'Id of the other environment.'),
    contentId: origin.column('contentId', text, 'Id of the version there.', { inGraphQL: { name: 'deploymentId' } }),
    version: origin.column('version', whole, 'Number of the version there.'),
  },
})

const committed = fieldsOf<GitCommit>()

const gitCommit = resource({
  name: 'GitCommit',
  id: 'GitCommit',
  description: 'What a git commit says of itself, as its author wrote it.',
  examples: { message: 'Show the price with tax', author: 'Ada Lovelace', authoredAt: EXAMPLE_TIME },
  fields: {
    message: committed.column('message', text, 'Message of the commit, of at most 1,000 characters.'),
    author: committed.column('author', text, 'Name of the author, of at most 200 characters.'),
    authoredAt: committed.column('authoredAt', time.nullable(), 'Time at which the author wrote the commit.'),
  },
})

const field = fieldsOf<Content>()
type Status = Pick<Content, 'status'>

const fields = {
  contentId: field.column('id', text, 'Id of the version.', { inGraphQL: { name: 'id' } }),
  version: field.column('version', whole, 'Number of the version in its environment: 1, 2, 3 and so on.'),
  status: field.column('status', deploymentStatus.type, 'Progress of the version.'),
  statusLabel: field.from(
    { status: true },
    text,
    'Status in words, for people.',
    ({ status }: Status) => LABELS[status],
    {
      only: 'rest',
    },
  ),
  isSuccess: field.from(
    { status: true },
    flag,
    'Whether the version was deployed.',
    ({ status }: Status) => status === 'DEPLOYED' || status === 'JOB_READY',
  ),
  isFailed: field.from(
    { status: true },
    flag,
    'Whether the version could not be deployed.',
    ({ status }: Status) => status === 'FAILED',
  ),
  reason: field.column(
    'reason',
    text.nullable(),
    'Code for why the version failed or was cancelled, or why a container ended soon after it was deployed.',
  ),
  message: field.column(
    'message',
    text.nullable(),
    'Why the version failed, was cancelled or waits, or why a container ended soon after it was deployed.',
  ),
  deployedAt: field.column('deployedAt', time.nullable(), 'Time at which the version was deployed.'),
  gitBranch: field.column('gitBranch', text.nullable(), 'Git branch that the version was built from.'),
  gitCommitId: field.column('gitCommitId', text.nullable(), 'Id of the git commit that the version was built from.', {
    inGraphQL: { type: 'String' },
  }),
  gitCommit: field.json(
    'gitCommit',
    gitCommit.answer.type.nullable(),
    'What the git commit says of itself; null for a version that was not built from git, or before its source was fetched.',
  ),
  containerImage: field.column('image', text, 'Image of the version, as it was requested.', {
    inGraphQL: { name: 'image' },
  }),
  imageDigest: field.column('imageDigest', text.nullable(), 'Image digest that the version is pinned to.'),
  imageFromCache: field.column(
    'imageFromCache',
    flag,
    'Whether the engine’s own copy of the image was used because no registry answered.',
  ),
  type: field.column('type', deploymentType.type, 'Source of the version’s image.'),
  promotedFrom: field.json(
    'promotedFrom',
    promotedFrom.answer.type.nullable(),
    'Version of another environment whose image the version runs; null for one that was built or pulled for this environment.',
  ),
  buildUse: field.json(
    'buildUse',
    buildUse.answer.type.nullable(),
    'Resources that the build of the version used. Null without a build, or where the builder does not report them.',
  ),
}

/** What the environment of a version has that decides about a rollback. */
export interface RolledBack {
  currentContentId: string | null
  app: { dockerPreset: string }
  volume: { presetVersion: string | null } | null
}

interface Rollback extends Pick<Content, 'id' | 'deployedAt' | 'imageDigest' | 'volumeDeleted' | 'configuration'> {
  appEnv: RolledBack
}

export const rolledBack = {
  currentContentId: true,
  app: { select: { dockerPreset: true } },
  volume: { select: { presetVersion: true } },
}

const forRollback = {
  id: true,
  deployedAt: true,
  imageDigest: true,
  volumeDeleted: true,
  configuration: true,
  appEnv: { select: rolledBack },
}

/** Why a rollback to the version would be refused, or null: what records show, and what decides the call. */
export function rollbackRefusal(content: Rollback): Refusal | null {
  const { currentContentId, app, volume } = content.appEnv
  const { presetVersion } = recordedConfiguration(content)
  const problem = dataProblem(engineOf(app, presetVersion), volume?.presetVersion, presetVersion)
  return refuseRollback({ ...content, dataProblem: problem }, currentContentId)
}

export const rollbackFields = {
  canRollback: field.from(
    forRollback,
    flag,
    'Whether a rollback to the version would be accepted.',
    (content: Rollback) => rollbackRefusal(content) === null,
  ),
  cannotRollbackReason: field.from(
    forRollback,
    text.nullable(),
    'Why a rollback to the version would be refused; null if it would be accepted.',
    (content: Rollback) => rollbackRefusal(content)?.message ?? null,
  ),
}

export const requested = {
  at: field.column('createdAt', time, 'Time at which the version was requested.'),
  by: field.column('requestedBy', text.nullable(), 'Id of the user or token that requested the version.'),
}

export const deployment = resource({
  name: 'Deployment',
  id: 'Deployment',
  description: 'A numbered version of an environment, with the configuration that it runs with.',
  examples: {
    status: 'DEPLOYED',
    statusLabel: 'Deployed',
    isSuccess: true,
    isFailed: false,
    message: null,
    deployedAt: EXAMPLE_TIME,
    imageDigest: 'sha256:4ff102c5d78d254a6f0da062b3cf39eaf07f01eec0927fd21e219d0af8bc0591',
    imageFromCache: false,
    promotedFrom: null,
  },
  fields,
  graphqlFields: {
    fromContentId: field.column('fromContentId', text.nullable(), 'Id of the version that this one repeats, if any.'),
    requestedBy: requested.by,
    ...rollbackFields,
    createdAt: requested.at,
    finishedAt: field.column('finishedAt', time.nullable(), 'Time at which the version was deployed or given up.'),
  },
  relations: {
    appEnv: { description: 'Environment that the version belongs to.' },
    configuration: {
      description: 'What the version runs with; null where you may not read it.',
      permission: 'appEnv:read',
    },
  },
})
