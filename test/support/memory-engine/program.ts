import type { RequestListener } from 'node:http'
import type { Files } from './files.ts'

export interface Limits {
  cores: number
  memoryBytes: number
}

/** A program, as it sees the container that it runs in. */
export interface Process {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly limits: Limits
  readonly files: Files
  /** Fires when the process has to end at once. What it does from then on is nobody's. */
  readonly signal: AbortSignal
  write(text: string, stream?: 'stdout' | 'stderr'): void
  /** The same with a newline. */
  print(text: string, stream?: 'stdout' | 'stderr'): void
  /** Listens on the container's port. */
  serve(listener: RequestListener): void
  /** What it uses from now on. More memory than its limit ends it. */
  use(needs: Partial<Limits>): void
  /** Called at SIGTERM, which ends a process that has no listener. */
  onTerminate(listener: () => void): void
  /** Where a host of the container's network listens; null for one that is not on it. */
  lookUp(host: string): { address: string; port: number } | null
  exit(code: number): void
}

/** Returns its exit code; one that returns nothing goes on until it exits or is ended. */
// biome-ignore lint/suspicious/noConfusingVoidType: most programs return nothing.
export type Program = (process: Process) => number | void | Promise<number | void>
