import { isDeepStrictEqual } from 'node:util'
import { getAppType } from '../../app-types/app-types.ts'
import { defaultDockerfilePath } from '../../app-types/presets.ts'
import { typeConfigIn, withoutTypeConfig } from '../../app-types/type-config.ts'
import { changedBuildResources } from '../../domain/build-resources.ts'
import { isHttpAddress } from '../../domain/repository-address.ts'
import { type App, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import { healthCheckColumns, sentHealthCheck } from '../health-check/app-health-check.ts'
import type { UpdateAppInput } from './app-input.ts'
import { volumePathIn } from './app-volume.ts'

export type AppChanges = Prisma.AppUncheckedUpdateInput

/** Fields whose value really changes; a field that was not sent, or has the value already, is left out. */
export function changesOf(input: UpdateAppInput, app: App): AppChanges {
  const { appId: _appId, applyImmediately: _apply, labels: _labels, useVolume, volumePath: path, ...others } = input
  const {
    healthCheck: _check,
    healthCheckPath: _path,
    healthCheckPort: _port,
    healthCheckHeaders: _headers,
    buildResources,
    ...sent
  } = others
  const { check } = sentHealthCheck(getAppType(app.type), input, app)
  const volumePath = volumePathIn({ useVolume, volumePath: path }, app)
  const wanted = {
    ...columnsOf(sent),
    ...clearedOf(sent),
    ...sourceOf(sent, app),
    ...repositoryOf(sent, app),
    ...(check ? healthCheckColumns(check) : {}),
    ...(volumePath === undefined ? {} : { volumePath }),
    ...(buildResources === undefined
      ? {}
      : { buildResources: jsonOrNull(changedBuildResources(app.buildResources, buildResources)) }),
  }
  const changed = Object.entries(wanted).filter(([field, value]) => {
    return !isDeepStrictEqual(value === Prisma.DbNull ? null : value, app[field as keyof App])
  })
  return Object.fromEntries(changed)
}

/** The names of the changed fields, as inputs spell them. */
export const changedFields = ({ typeConfig, ...columns }: AppChanges): string[] => [
  ...Object.keys(columns),
  ...Object.keys(typeConfig ?? {}),
]

type Sent = Omit<
  UpdateAppInput,
  | 'appId'
  | 'applyImmediately'
  | 'labels'
  | 'useVolume'
  | 'volumePath'
  | 'healthCheck'
  | 'healthCheckPath'
  | 'healthCheckPort'
  | 'healthCheckHeaders'
  | 'buildResources'
>

function columnsOf(sent: Sent): AppChanges {
  const typeConfig = typeConfigIn(sent)
  return typeConfig ? { ...withoutTypeConfig(sent), typeConfig: typeConfig as object } : sent
}

const CLEARED_BY_EMPTY_TEXT = [
  'imagePullAccountSecretId',
  'buildPullAccountSecretId',
  'buildArgs',
  'buildTarget',
] as const

/** Empty strings clear (§4.2); a cleared context folder is the source's root again. */
function clearedOf(sent: Sent): AppChanges {
  const cleared = CLEARED_BY_EMPTY_TEXT.filter((field) => sent[field] === '').map((field) => [field, null])
  return { ...Object.fromEntries(cleared), ...(sent.contextDir === '' ? { contextDir: './' } : {}) }
}

/** An address names the whole repository: what named the former one must not be sent to another host with it. */
function repositoryOf({ gitProvider, gitNamespace, gitRepo, gitInstallationId }: Sent, app: App): AppChanges {
  if (gitRepo === undefined) return {}
  const whole = isHttpAddress(gitRepo)
    ? { gitNamespace: gitNamespace ?? null, gitInstallationId: gitInstallationId ?? null }
    : {}
  return { gitProvider: gitProvider ?? app.gitProvider ?? 'GITHUB', ...whole }
}

/**
 * Which Dockerfile is used after the change. A path and an inline text replace each other. A new preset starts afresh:
 * CUSTOM with `Dockerfile` unless the request says otherwise, any other with the one it writes itself; the old preset's
 * version is dropped.
 */
function sourceOf(
  { dockerPreset, dockerPresetVersion, dockerfilePath, customDockerfileContent }: Sent,
  app: App,
): AppChanges {
  const preset = dockerPreset ?? app.dockerPreset
  const isOtherPreset = preset !== app.dockerPreset
  if (!isOtherPreset && dockerfilePath === undefined && customDockerfileContent === undefined) return {}
  const before = isOtherPreset
    ? { path: null, text: null }
    : { path: app.dockerfilePath, text: app.customDockerfileContent }
  const text = dockerfilePath ? null : (customDockerfileContent ?? before.text) || null
  const path = customDockerfileContent ? null : (dockerfilePath ?? (text ? null : before.path)) || null
  return {
    customDockerfileContent: text,
    dockerfilePath: path ?? (text === null ? defaultDockerfilePath(preset) : null),
    ...(isOtherPreset ? { dockerPresetVersion: dockerPresetVersion ?? null } : {}),
  }
}
