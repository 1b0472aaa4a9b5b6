/** Limits on a source's size and on the time to fetch it. */
export interface SourceLimits {
  maxBytes: number
  maxFiles: number
  timeoutSeconds: number
}

export const MAX_PATH_LENGTH = 1024
/** Of one source, also of those of submodules. */
export const MAX_SUBMODULES = 50
export const MAX_ADDRESS = 2000
export const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** For messages: whole megabytes, as in the settings. */
export const megabytes = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MB`
