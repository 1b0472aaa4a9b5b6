import { createHash } from 'node:crypto'
import type { ImageBuild } from '../../images/image-builder.ts'
import { LABEL } from '../labels.ts'

const BUILD_ROLE = 'build'
const IMAGE_ROLE = 'image'

/** On every stage of a build, and so on its intermediate containers and layers. */
export const stageLabels = (installationId: string, appEnvId: string): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: BUILD_ROLE,
  [LABEL.appEnv]: appEnvId,
})

/** On a build's final image. */
export const imageLabels = (installationId: string, build: ImageBuild): Record<string, string> => ({
  ...stageLabels(installationId, build.appEnvId),
  [LABEL.role]: IMAGE_ROLE,
  [LABEL.account]: build.accountId,
  [LABEL.app]: build.appId,
  [LABEL.content]: build.contentId,
  [LABEL.operation]: build.operationId,
})

/** Of any installation: its images belong to that installation's tenants. */
export const isBuiltHere = (labels: Readonly<Record<string, string>> | null | undefined): boolean =>
  [BUILD_ROLE, IMAGE_ROLE].includes(labels?.[LABEL.role] ?? '')

/**
 * Caches are found by name, and a Dockerfile may use any name: the name of another environment's cache cannot be
 * guessed.
 */
export const cacheScope = (installationId: string, appEnvId: string): string =>
  createHash('sha256').update(`${installationId} ${appEnvId}`).digest('hex').slice(0, 32)

/** The engine's filter for containers in which builds run. */
export function buildFilters(installationId: string, { appEnvId }: { appEnvId?: string | undefined }) {
  const label = [`${LABEL.installation}=${installationId}`, `${LABEL.role}=${BUILD_ROLE}`]
  return { label: appEnvId === undefined ? label : [...label, `${LABEL.appEnv}=${appEnvId}`] }
}

/** The engine's filter for our images. Only builds create any. */
export function imageFilters(installationId: string, { appEnvId }: { appEnvId?: string | undefined }) {
  const label = [`${LABEL.installation}=${installationId}`]
  return { label: appEnvId === undefined ? label : [...label, `${LABEL.appEnv}=${appEnvId}`] }
}
