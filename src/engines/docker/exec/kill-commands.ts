import type { SignalName } from '../../../domain/remote-session.ts'
import type { CallBounds } from '../../call-bounds.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { within } from '../within.ts'
import { execState, exitCodeOf } from './command-end.ts'
import { openExec } from './open-exec.ts'

const KILL_SECONDS = 10

const KEY = /^[\w-]{1,100}$/

/**
 * An engine can neither end a command of exec nor say which process of the container it is: so its environment, which
 * its children inherit, carries a marker, and a second command kills every process that has it. Again and again,
 * because a process may start another one meanwhile. `cat` and the substitution drop the zeros between variables.
 */
const KILL_SCRIPT = `
for round in $3; do
  found=
  for process in /proc/[0-9]*; do
    case "$(cat "$process/environ" 2>/dev/null)" in
      *"$1"*) kill -s "$2" "\${process#/proc/}" 2>/dev/null && found=1 ;;
    esac
  done
  [ "$found" ] || exit 0
done`

export interface CommandMark {
  key: string
  /** Only the same user may see the environment of its processes. */
  user: string | undefined
}

const VARIABLE = 'BERTH_COMMAND'

/** The variable in a command's environment. The semicolon ends it: no key is the beginning of another. */
export function markerOf(key: string): string {
  if (!KEY.test(key)) throw new Error(`"${key}" is no key of a command`)
  return `${VARIABLE}=${key};`
}

const ROUNDS = '1 2 3 4 5 6 7 8 9 10'

/** Does nothing in an image without `sh` and `cat`, where a command goes on until it ends by itself. */
export const killCommands = (
  engine: DockerEngine,
  containerId: string,
  mark: CommandMark,
  bounds: CallBounds = {},
): Promise<void> => signalCommands(engine, containerId, { ...mark, name: 'KILL', rounds: ROUNDS }, bounds)

/** Sends a signal once to every process of the commands of a key. */
export const signalOnce = (
  engine: DockerEngine,
  containerId: string,
  mark: CommandMark,
  name: SignalName,
  bounds: CallBounds = {},
): Promise<void> => signalCommands(engine, containerId, { ...mark, name, rounds: '1' }, bounds)

interface Signalled extends CommandMark {
  name: SignalName
  rounds: string
}

const signalCommands = (
  engine: DockerEngine,
  containerId: string,
  { key, user, name, rounds }: Signalled,
  bounds: CallBounds,
): Promise<void> =>
  within(engine, { timeoutSeconds: Math.min(KILL_SECONDS, engine.callTimeoutSeconds), ...bounds }, async (signal) => {
    const command = ['sh', '-c', KILL_SCRIPT, 'sh', markerOf(key), name, rounds]
    const { exec, connection } = await openExec(engine, containerId, { command, user, environment: [] }, signal)
    const close = () => connection.destroy()
    signal.addEventListener('abort', close, { once: true })
    for await (const _said of connection.end());
    signal.removeEventListener('abort', close)
    // A proxy may close the connection before the end, and what goes on would kill the next command of the key.
    await exitCodeOf(engine, (abortSignal) => execState(exec, abortSignal), signal).catch((error: unknown) => {
      // It is gone with its container.
      if (statusOf(error) !== 404) throw error
    })
  })
