import type { ContainerSettings } from '../../../domain/container-settings.ts'
import { RuntimeError } from '../../runtime/container-runtime.ts'

interface Limited {
  settings: ContainerSettings | null
}

/** Whether the owner of a container has set limits, which are no wish of ours that an engine may leave unfulfilled. */
export const hasOwnLimits = ({ settings }: Limited): boolean => (settings?.ulimits ?? []).length > 0

export const limitsRefused = (words: string): RuntimeError =>
  new RuntimeError(
    'CONTAINER_START_FAILED',
    `containerSettings.ulimits: the engine's machine allows no such limit: ${words}. Lower it`,
  )
