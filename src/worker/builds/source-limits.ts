import type { SourceTools } from '../../builder/locate-source.ts'
import type { ReaderLimits } from '../../builder/source-reader/start-source-reader.ts'
import type { Config } from '../../config/config.ts'
import { uploadsFolder } from '../../config/upload-files.ts'

const BYTES_PER_MB = 1024 * 1024

/** Limits for fetching a source, from the settings. */
export function sourceLimitsOf(config: Config, signal: AbortSignal): SourceTools {
  const { BERTH_GITHUB_APP_ID: appId, BERTH_GITHUB_PRIVATE_KEY: privateKey } = config
  return {
    limits: {
      maxBytes: config.BERTH_SOURCE_LIMIT_MB * BYTES_PER_MB,
      maxFiles: config.BERTH_SOURCE_LIMIT_FILES,
      timeoutSeconds: config.BERTH_SOURCE_TIMEOUT_SECONDS,
    },
    uploads: uploadsFolder(config),
    allowsPrivateHosts: config.BERTH_GIT_PRIVATE_HOSTS,
    gitHub:
      appId && privateKey
        ? { appId, privateKey, apiUrl: config.BERTH_GITHUB_API_URL, cloneUrl: config.BERTH_GITHUB_URL }
        : null,
    signal,
  }
}

/** Limits for the process that reads a source, as long as what follows its fetching may take. */
export const readerLimitsOf = (config: Config, { timeoutSeconds }: { timeoutSeconds: number }): ReaderLimits => ({
  heapMb: config.BERTH_SOURCE_READING_MB,
  readingSeconds: config.BERTH_SOURCE_READING_SECONDS,
  cpuSeconds: config.BERTH_SOURCE_TIMEOUT_SECONDS + timeoutSeconds,
})
