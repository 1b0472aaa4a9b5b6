import type { Config } from '../../config/config.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { failureWindowSeconds, readinessOf } from '../../domain/health-check.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'

/**
 * How long a container of the version may take to become ready. A long startup probe, or a delayed readiness probe,
 * gives it more time.
 */
export function readySeconds(content: Content, { BERTH_READY_TIMEOUT_SECONDS: usual }: Config): number {
  const { healthCheck } = recordedConfiguration(content)
  const { startup } = healthCheck
  const start = startup ? startup.initialDelaySeconds + failureWindowSeconds(startup) : 0
  return Math.max(usual, start, usual + (readinessOf(healthCheck).initialDelaySeconds ?? 0))
}
