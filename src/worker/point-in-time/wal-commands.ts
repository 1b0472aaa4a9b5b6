import type { EngineCommand } from '../../app-types/engines/engine.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { EnvironmentContext } from '../context/environment-context.ts'
import type { ServiceContainer } from '../service/service-container.ts'

/** The running container that has the log, as its commands need it. */
export interface WalSource extends ServiceContainer {
  name: string
}

interface WalCommand {
  /** What it does, in a sentence about its failure. */
  what: string
  environment: Record<string, string>
  timeoutSeconds: number
  reason?: 'BACKUP_FAILED' | 'RESTORE_FAILED'
  input?: AsyncIterable<Uint8Array>
  output?: (chunk: Uint8Array) => Promise<void> | void
}

const MAX_ANSWER = 64 * 1024

/**
 * Runs a command about the log in the container. Throws BACKUP_FAILED, or the reason given, with its words, when it
 * fails.
 */
export async function runWalCommand(
  { engine, quote }: EnvironmentContext,
  { name, container }: WalSource,
  command: EngineCommand,
  { what, environment, reason = 'BACKUP_FAILED', ...options }: WalCommand,
): Promise<void> {
  const variables = { ...container.environment, ...environment }
  const { exitCode, errorOutput } = await engine.exec(name, command, { key: 'log', environment: variables, ...options })
  if (exitCode === 0) return
  throw new BackupFailed(reason, `The command that ${what} ended with ${exitCode}: ${await quote(errorOutput.trim())}`)
}

/** The same for one that answers in a line. */
export async function askWalCommand(
  context: EnvironmentContext,
  source: WalSource,
  command: EngineCommand,
  about: Omit<WalCommand, 'output'>,
): Promise<string> {
  let printed = ''
  const output = (chunk: Uint8Array) => {
    if (printed.length < MAX_ANSWER) printed += Buffer.from(chunk).toString('utf8')
  }
  await runWalCommand(context, source, command, { ...about, output })
  return printed.trim()
}
