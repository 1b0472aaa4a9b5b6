import { z } from 'zod'
import { EXAMPLE_TIME } from '../../calls/examples.ts'
import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { pick, resource } from '../../calls/resource.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import type { Configuration, MountedVolume } from '../../domain/configuration.ts'
import { type HealthCheck, healthCheckType } from '../../domain/health-check.ts'
import { resourcesOf } from '../../domain/resources.ts'
import { releaseCommand, startupConfig } from '../app-env/app-env-fields.ts'
import { shownContainerSettings } from '../app-env/container-settings-fields.ts'
import { type OpenVariable, variable } from '../app-env/variable-fields.ts'
import { versionTypeConfigFields } from '../app-type/app-type-fields.ts'
import { pendingChanges } from '../configuration/pending-change-fields.ts'
import { ownHealthCheck } from '../health-check/health-check-fields.ts'

const built = fieldsOf<BuildPlan>()

const sourceOf = ({ source }: BuildPlan) => (source.kind === 'git' ? source : null)

const buildConfiguration = resource({
  name: 'BuildConfiguration',
  id: 'BuildConfiguration',
  description: 'What a version was built from, besides its variables.',
  fields: {
    gitRepo: built.from({}, text.nullable(), 'Address of the git repository.', (plan: BuildPlan) => {
      return sourceOf(plan)?.url ?? null
    }),
    gitBranch: built.from(
      {},
      text.nullable(),
      'Git branch; null for the default one of the repository.',
      (plan: BuildPlan) => {
        return sourceOf(plan)?.branch ?? null
      },
    ),
    builder: built.column('builder', text, 'Builder of the source.'),
    dockerPreset: built.from({}, text, 'Preset of the build.', ({ preset }: BuildPlan) => preset),
    dockerPresetVersion: built.from(
      {},
      text.nullable(),
      'Version of the preset.',
      ({ presetVersion }: BuildPlan) => presetVersion,
    ),
    contextDir: built.column('contextDir', text, 'Build context directory.'),
    dockerfilePath: built.column('dockerfilePath', text.nullable(), 'Path of the Dockerfile in the source.'),
    customDockerfileContent: built.from(
      {},
      text.nullable(),
      'Content of the inline Dockerfile.',
      ({ dockerfileContent }: BuildPlan) => dockerfileContent,
    ),
    buildArgs: built.column('buildArgs', text.nullable(), 'Docker build arguments.'),
    buildTarget: built.from(
      {},
      text.nullable(),
      'Stage of the Dockerfile; null for the last one.',
      ({ buildTarget }: BuildPlan) => buildTarget ?? null,
    ),
    buildPullAccountSecretId: built.from(
      {},
      text.nullable(),
      'Id of the credential that base images were pulled with.',
      ({ pullCredentialId }: BuildPlan) => pullCredentialId,
    ),
  },
})

const mounted = fieldsOf<MountedVolume>()

const recordedVolume = resource({
  name: 'VersionVolume',
  id: 'VersionVolume',
  description: 'Volume that a version was recorded with.',
  fields: {
    path: mounted.column('path', text, 'Path at which containers mount the volume.'),
    disk: mounted.column('diskMb', whole, 'Size of the volume in MB.'),
  },
})

/** A version, with what is opened or completed of what it recorded. */
export interface RecordedVersion {
  id: string
  version: number
  image: string
  createdAt: Date
  configuration: Configuration
  /** Of the app's type, with the defaults of what was not set. */
  typeConfig: Configuration['typeConfig']
  variables: OpenVariable[]
  build: BuildPlan | null
}

const field = fieldsOf<RecordedVersion>()
const ofConfiguration = <Type extends z.ZodType>(
  type: Type,
  about: string,
  value: (configuration: Configuration) => z.output<Type>,
) => field.from({}, type, about, ({ configuration }: RecordedVersion) => value(configuration))

function shownHealthCheck({ isOff, ...check }: HealthCheck) {
  return { ...check, type: isOff ? ('NONE' as const) : healthCheckType(check) }
}

export const versionConfiguration = resource({
  name: 'VersionConfiguration',
  id: 'VersionConfiguration',
  description:
    'What a version of an environment runs with: it was recorded with the version, and a rollback restores it.',
  examples: { image: 'nginx:alpine', createdAt: EXAMPLE_TIME, build: null },
  fields: {
    contentId: field.column('id', text, 'Id of the version.', { inGraphQL: { name: 'deploymentId' } }),
    version: field.column('version', whole, 'Number of the version in its environment.'),
    createdAt: field.column('createdAt', time, 'Time at which the version was requested.'),
    image: field.column('image', text, 'Image of the version, as it was requested.'),
    port: ofConfiguration(whole.nullable(), 'Port that the app listens on.', ({ port }) => port),
    zClouds: ofConfiguration(
      z.number().nullable(),
      'CPU and memory of one container, in zClouds; null where cpu and memory were set.',
      ({ zClouds, resources }) => (resources ? null : zClouds),
    ),
    cpu: ofConfiguration(z.number(), 'CPU of one container, in zCPU.', (one) => resourcesOf(one).cpu),
    memory: ofConfiguration(whole, 'Memory of one container, in MB.', (one) => resourcesOf(one).memoryMb),
    dockerPresetVersion: ofConfiguration(
      text.nullable(),
      'Version of a managed service; null for other apps.',
      ({ presetVersion }) => presetVersion ?? null,
    ),
    volume: ofConfiguration(recordedVolume.answer.type.nullable(), 'Volume that containers mount.', ({ volume }) =>
      volume ? recordedVolume.answer.record(volume) : null,
    ),
    startupConfig: ofConfiguration(
      startupConfig.answer.type.nullable(),
      'Command that replaces the one of the image.',
      ({ startup }) => startup,
    ),
    releaseCommand: ofConfiguration(
      releaseCommand.answer.type.nullable(),
      'Command that the version ran once before its containers started.',
      ({ release }) => release ?? null,
    ),
    containerSettings: ofConfiguration(
      shownContainerSettings.answer.type.nullable(),
      'Settings of the containers.',
      ({ containerSettings }) => (containerSettings ?? null) as never,
    ),
    healthCheck: ofConfiguration(
      ownHealthCheck.answer.type,
      'Health check and probes, those of the app included.',
      ({ healthCheck }) => shownHealthCheck(healthCheck) as never,
    ),
    imagePullAccountSecretId: ofConfiguration(
      text.nullable(),
      'Id of the credential that the image is pulled with.',
      ({ imagePullCredentialId }) => imagePullCredentialId,
    ),
    ...versionTypeConfigFields,
    variables: field.given(
      'variables',
      z.array(variable.answer.type),
      'Environment variables of the version, by name. Secrets are masked.',
    ),
    build: field.from(
      {},
      buildConfiguration.answer.type.nullable(),
      'What the version was built from; null for a prebuilt image.',
      ({ build }: RecordedVersion) => (build ? buildConfiguration.answer.record(build) : null),
    ),
  },
})

/** One side of a difference. */
export interface Side {
  appEnvId: string
  contentId: string | null
  version: number | null
}

const compared = fieldsOf<Side>()

const side = resource({
  name: 'DifferenceSide',
  id: 'DifferenceSide',
  description: 'One side of a difference: a version, or the configuration of an environment.',
  fields: {
    appEnvId: compared.column('appEnvId', text, 'Id of the environment.'),
    contentId: compared.column('contentId', text.nullable(), 'Id of the version; null for what is configured.', {
      inGraphQL: { name: 'deploymentId' },
    }),
    version: compared.column('version', whole.nullable(), 'Number of the version; null for what is configured.'),
  },
})

const sides = fieldsOf<{ from: Side; to: Side }>()

export const difference = resource({
  name: 'Difference',
  id: 'Difference',
  description: 'How two versions, or the configurations of two environments, differ.',
  fields: {
    from: sides.column('from', side.answer.type, 'Side whose values are `from`.'),
    to: sides.column('to', side.answer.type, 'Side whose values are `to`.'),
    ...pick(pendingChanges.fields, 'hasBuildChanges', 'hasDeployChanges', 'hasScaleChanges', 'changes'),
  },
})
