/**
 * The protocol of remote sessions. A command speaks Kubernetes' `v5.channel.k8s.io`: each binary message is one byte, the
 * channel, and content. A tunnel's binary messages are the bytes of the connection.
 */
export const CHANNEL = {
  STDIN: 0,
  STDOUT: 1,
  STDERR: 2,
  /** The last message: how the command ended, as JSON. */
  STATUS: 3,
  /** `{"Width": 80, "Height": 24}`, in characters. */
  RESIZE: 4,
  /** The name of a signal: Berth's own. Kubernetes has none. */
  SIGNAL: 5,
  /** The number of a channel that has ended: of 0, the end of the input. */
  CLOSE: 255,
} as const

export const EXEC_PROTOCOL = 'v5.channel.k8s.io'
export const TUNNEL_PROTOCOL = 'binary'

/** The signals that a client may send to a command. */
export const SIGNALS = ['HUP', 'INT', 'QUIT', 'KILL', 'USR1', 'USR2', 'TERM'] as const
export type SignalName = (typeof SIGNALS)[number]

export const isSignal = (name: string): name is SignalName => (SIGNALS as readonly string[]).includes(name)

/** Of a terminal, in characters. */
export interface TerminalSize {
  columns: number
  rows: number
}

export const MAX_TERMINAL_SIDE = 1000

/** Null for what no terminal has. */
export function terminalSizeOf(text: string): TerminalSize | null {
  let sent: unknown
  try {
    sent = JSON.parse(text)
  } catch {
    return null
  }
  const { Width: columns, Height: rows } = (sent ?? {}) as { Width?: unknown; Height?: unknown }
  return isSide(columns) && isSide(rows) ? { columns, rows } : null
}

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TERMINAL_SIDE

/** Larger messages of clients end their session. */
export const MAX_MESSAGE_BYTES = 1024 * 1024

/** Why a remote session ended, with the close code that its client gets. */
export const SESSION_ENDS = {
  COMMAND_ENDED: 1000,
  CONNECTION_CLOSED: 1000,
  CLIENT_CLOSED: 1000,
  STOPPING: 1001,
  CLIENT_FAULT: 1003,
  /** The container, or the engine, could not do it. */
  REFUSED: 1011,
  WORKER_LOST: 1011,
  NO_WORKER: 1013,
  ACCESS_LOST: 4403,
  IDLE: 4408,
  TIME_UP: 4408,
  CONTAINER_STOPPED: 4410,
  API_LOST: 1006,
} as const

export type SessionEndReason = keyof typeof SESSION_ENDS

/** How a remote session ended. */
export interface SessionEnd {
  reason: SessionEndReason
  /** For people: what happened, and what to do next. */
  message: string
  /** Of a command that ended. */
  exitCode: number | null
}

/** What Kubernetes calls Status: how a command ended, for channel 3. `exitCode` is there for all who need no more. */
export function execStatus({ reason, message, exitCode }: SessionEnd): Record<string, unknown> {
  if (reason === 'COMMAND_ENDED' && exitCode === 0) return { metadata: {}, status: 'Success', exitCode: 0 }
  if (reason !== 'COMMAND_ENDED') return { metadata: {}, status: 'Failure', reason, message, exitCode }
  const causes = [{ reason: 'ExitCode', message: String(exitCode) }]
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message, details: { causes }, exitCode }
}

const MAX_CLOSE_BYTES = 123

/** As much of a text as a close frame holds. */
export function closeReason(text: string): string {
  let cut = text
  while (Buffer.byteLength(cut) > MAX_CLOSE_BYTES) cut = cut.slice(0, -1)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** A message of one channel. */
export const onChannel = (channel: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), content])
