/** How much a source may hold, and how long it may take to come. */
export interface SourceLimits {
  maxBytes: number
  maxFiles: number
  timeoutSeconds: number
}

export const MAX_PATH_LENGTH = 1024

/** For messages: whole megabytes, as the settings have them. */
export const megabytes = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MB`
