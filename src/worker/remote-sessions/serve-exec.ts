import { setTimeout as pause } from 'node:timers/promises'
import { CHANNEL, isSignal, onChannel, type SessionEnd, terminalSizeOf } from '../../domain/remote-session.ts'
import type { CommandControl } from '../../engines/runtime/container-runtime.ts'
import type { ClaimedSession } from '../../storage/remote-sessions/claim-session.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import type { SessionLink } from './session-link.ts'

const KILLED = 137
const MAX_LOOKS = 5
const LOOK_MS = 300
const CANNOT_RUN = [126, 127]

interface ServedSession {
  session: ClaimedSession
  link: SessionLink
  signal: AbortSignal
}

/** Runs the command of a session, until it ends or its client is gone, which kills it. */
export async function serveExec(
  { runtime, config }: Pick<WorkerContext, 'runtime' | 'config'>,
  { session, link, signal }: ServedSession,
): Promise<SessionEnd> {
  const { id, container, containerId, command, columns, rows } = session
  if (!command) throw new Error(`The session ${id} has no command`)
  const terminal = columns !== null && rows !== null ? { columns, rows } : null
  const channels = new ClientChannels(link)
  const { exitCode, errorOutput } = await runtime.exec(containerId, command, {
    key: id,
    isKeyNew: true,
    signal,
    // The API process ends it first, in words.
    timeoutSeconds: config.BERTH_REMOTE_SESSION_SECONDS + 60,
    input: channels.input(),
    output: (chunk) => link.send(onChannel(CHANNEL.STDOUT, chunk)),
    errors: (chunk) => link.send(onChannel(CHANNEL.STDERR, chunk)),
    ...(terminal ? { terminal } : {}),
    onStarted(control) {
      channels.control = control
      // Engines that cannot start a command with a size give it one now.
      if (terminal) void control.resize(terminal).catch(() => {})
    },
  })
  if (CANNOT_RUN.includes(exitCode) && errorOutput.startsWith('OCI runtime'))
    return ended(exitCode, `The command could not be started in ${container}: ${errorOutput}`)
  if (exitCode === KILLED && !(await goesOn(runtime, session)))
    return { reason: 'CONTAINER_STOPPED', message: `The container ${container} has stopped`, exitCode }
  return ended(exitCode, `The command ended with the exit code ${exitCode}`)
}

const ended = (exitCode: number, message: string): SessionEnd => ({ reason: 'COMMAND_ENDED', message, exitCode })

/** Whether the container runs on after its command was killed: one that stops kills its commands a moment before. */
async function goesOn(
  runtime: WorkerContext['runtime'],
  { appEnvId, containerId }: Pick<ClaimedSession, 'appEnvId' | 'containerId'>,
): Promise<boolean> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const containers = await runtime.observe({ appEnvId, isBrief: true })
    if (!containers.some((one) => one.containerId === containerId && one.phase === 'running')) return false
    await pause(LOOK_MS)
  }
  return true
}

/** The messages of a client, each for what its channel names. */
class ClientChannels {
  /** Null until the command is started. */
  control: CommandControl | null = null
  readonly #link: SessionLink

  constructor(link: SessionLink) {
    this.#link = link
  }

  /** Standard input, until the client ends it; what comes for other channels is done meanwhile, and after. */
  async *input(): AsyncGenerator<Buffer> {
    const messages = this.#link.messages()
    for (;;) {
      const next = await messages.next()
      if (next.done) return
      const [channel] = next.value
      const content = next.value.subarray(1)
      if (channel === CHANNEL.STDIN) yield content
      else if (channel === CHANNEL.CLOSE && content[0] === CHANNEL.STDIN) break
      else await this.#control(channel, content)
    }
    void this.#rest(messages)
  }

  async #rest(messages: AsyncGenerator<Buffer>): Promise<void> {
    for await (const message of messages)
      if (message[0] !== CHANNEL.STDIN) await this.#control(message[0], message.subarray(1))
  }

  async #control(channel: number | undefined, content: Buffer): Promise<void> {
    const text = content.toString('utf8')
    const size = channel === CHANNEL.RESIZE ? terminalSizeOf(text) : null
    if (size) await this.control?.resize(size).catch(() => {})
    if (channel === CHANNEL.SIGNAL && isSignal(text)) await this.control?.signal(text).catch(() => {})
  }
}
