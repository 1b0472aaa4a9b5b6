import type { RequestListener } from 'node:http'
import type { TerminalSize } from '../../../src/domain/remote-session.ts'
import type { ListeningSocket } from '../../../src/engines/runtime/container-runtime.ts'
import type { Files } from './files.ts'

export interface Limits {
  cores: number
  memoryBytes: number
}

/** The container that a program runs in, as the program sees it. */
export interface Process {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly limits: Limits
  readonly files: Files
  /** Fires when the process must end at once. Later effects are ignored. */
  readonly signal: AbortSignal
  /** Empty for a container's own program. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes bytes, and waits until they have been taken. */
  send(chunk: Uint8Array): Promise<void>
  write(text: string, stream?: 'stdout' | 'stderr'): void
  /** The same with a newline. */
  print(text: string, stream?: 'stdout' | 'stderr'): void
  /** Listens on the container's port. */
  serve(listener: RequestListener): void
  /** Listens elsewhere, where nobody connects. */
  listen(socket: ListeningSocket): void
  /** Sets its use from now on. More memory than its limit kills it. */
  use(needs: Partial<Limits>): void
  /** Of its terminal; null without one. */
  size(): TerminalSize | null
  onResize(listener: (size: TerminalSize) => void): void
  /** Called at SIGTERM, which ends a process without a listener. */
  onTerminate(listener: () => void): void
  /** The port of a host on the container's network; null for an unknown host. */
  lookUp(host: string): { address: string; port: number } | null
  exit(code: number): void
}

/** Returns its exit code; a program that returns nothing runs until it exits or is killed. */
// biome-ignore lint/suspicious/noConfusingVoidType: most programs return nothing.
export type Program = (process: Process) => number | void | Promise<number | void>
