import type { MemoryImage } from './images.ts'

export const LABEL = { installation: 'memory.installation', appEnv: 'memory.env', content: 'memory.content' } as const

export const stageLabels = (installationId: string, appEnvId: string): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.appEnv]: appEnvId,
})

/** Of any installation. */
export const isBuilt = ({ config }: MemoryImage): boolean => LABEL.installation in config.labels

export const belongsTo = ({ config }: MemoryImage, installationId: string, appEnvId?: string): boolean =>
  config.labels[LABEL.installation] === installationId &&
  (appEnvId === undefined || config.labels[LABEL.appEnv] === appEnvId)
