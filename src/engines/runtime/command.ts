import type { CallBounds } from '../call-bounds.ts'
import type { CommandStreams } from '../command-streams.ts'

/** `timeoutSeconds` bounds the whole command. */
export interface ExecOptions extends CallBounds, CommandStreams {
  /** Name, or `uid:gid`; omitted: the container's own. */
  user?: string
  /** Added to the container's own. */
  environment?: Record<string, string>
  /**
   * Of letters, digits, `-` and `_`. Commands of the same key that still run in the container are killed first, such
   * as that of a worker that was killed.
   */
  key?: string
}

export interface ExecResult {
  /** 126 and 127: the command could not be started. 137: it, or its container, was killed. */
  exitCode: number
  /** The last 8 KiB of standard error, as text. */
  errorOutput: string
}
