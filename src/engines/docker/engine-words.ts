import type { RegistrySilence } from '../../domain/registry-silence.ts'
import { messageOf, statusOf } from './engine-answers.ts'

/**
 * What container engines say, as far as anything depends on it: neither a status nor a state distinguishes these. Each
 * pattern was heard from an engine; test/engines/docker/recorded-words.json has their answers, by version and store. Where
 * several apply, the first one does.
 */
export const ENGINE_WORDS = {
  /** The interface of a network was removed on the machine: the network is in the engine's records only. */
  bridgeGone: [/could not find bridge/, /to bridge \S+ failed: Device does not exist/],
  bridgeTaken: [/networks have same bridge name/],
  addressesUsedUp: [/non-overlapping IPv4 address pool/, /address pools have been fully subnetted/],
  /** A stopped container stores its network's id, so one whose network was removed never starts again. */
  networkGone: [/network \S+ not found/],
  endpointFailed: [/failed to create endpoint/],
  imageGone: [/^No such image/],
  /** The host allows the engine no higher limit, such as one of open files. */
  limitRefused: [/error setting rlimit/],
  /** An engine that was killed while it started a container may have forgotten the start, and yet find it running. */
  startedBefore: [/container with given ID already exists/, /task \S+ already exists/],
  cannotRun: [/OCI runtime (create|start|exec) failed/],
  /** The image names a user that its files do not know. */
  userUnknown: [/no matching entries in (passwd|group) file/],

  /** The image's working directory, or a part of its path, is a file. */
  workingDirTaken: [/Cannot mkdir: \S+ is not a directory/],
  /** Of a command: of the runtime, the init process, or a shell that took a program for a script. */
  programMissing: [/no such file or directory/i, /executable file not found in \$PATH/],
  programDenied: [/permission denied/i],
  otherMachine: [/exec format error/i, /: \d{1,9}: \u007f?ELF/],

  diskFull: [/no space left on device/i],
  diskFailed: [/read-only file system/i, /input\/output error/i],
  /** The daemon of a builder has ended, or is about to. A step that fails is quoted, so that no step can say this. */
  builderAway: [
    /^(listing workers for Build: failed to list workers: |failed to receive status: )?(rpc error: code = )?Unavailable\b/,
  ],
  /** The cache of a builder of BuildKit's has no room. */
  builderFull: [/ResourceExhausted/, /no space left on device/i],

  /** Of registries, in the engine's message. */
  limited: [/toomanyrequests/i, /\b429 Too Many Requests/],
  denied: [
    /\bunauthorized\b/i,
    /\b(?<!permission )denied\b/,
    /\b403 Forbidden/,
    /no basic auth credentials/,
    /authorization failed/,
    /incorrect username or password/,
  ],
  senseless: [
    /unexpected media type text\/html/,
    /error unmarshalling content/,
    /error parsing HTTP \d+ response body/,
  ],
  invalid: [
    /no matching manifest/,
    /unexpected media type/,
    /media type \S+ is no longer supported/,
    /mediaType in manifest should be/,
    /missing signature key/,
    /schema 1 support/,
    /invalid reference format/,
    /manifest verification failed/,
  ],
  unknown: [/manifest unknown/, /name unknown/, /repository name not known to registry/, /not found\b/],

  unresolved: [/dial tcp: lookup /],
  refusing: [/connection refused/, /connection reset by peer/],
  unroutable: [/no route to host/, /network is unreachable/],
  plainHttp: [/server gave HTTP response to HTTPS client/],
  untrusted: [/\bx509: /, /\btls: /],
  slow: [/Client\.Timeout exceeded/, /TLS handshake timeout/, /i\/o timeout/, /deadline exceeded/],
  failing: [/unexpected HTTP status: 5\d\d\b/, /unexpected status from \S+ request to \S+: 5\d\d\b/],
  mute: [/\bEOF$/],
} as const satisfies Record<string, readonly RegExp[]>

export type EngineWord = keyof typeof ENGINE_WORDS

/** Whether a text of the engine says this. */
export const says = (text: string, word: EngineWord): boolean => ENGINE_WORDS[word].some((way) => way.test(text))

/** Whether the engine refused a call, and says this of it. */
export const refusedAs = (error: unknown, word: EngineWord): boolean =>
  statusOf(error) !== null && says(messageOf(error), word)

const ANSWERS = ['limited', 'denied', 'senseless', 'invalid', 'unknown'] as const
const SILENCES = ['unresolved', 'refusing', 'unroutable', 'plainHttp', 'untrusted', 'slow', 'failing', 'mute'] as const

/** What a registry has answered to a pull or a push; null when it has not, or when the engine says something else. */
export const registryAnswerIn = (text: string): (typeof ANSWERS)[number] | null =>
  ANSWERS.find((word) => says(text, word)) ?? null

/** Why no registry has answered; null when one has, or when the engine says something else. */
export const registrySilenceIn = (text: string): RegistrySilence | null =>
  SILENCES.find((word) => says(text, word)) ?? null

/** With which the output of a command begins that the engine cannot run. */
export const EXEC_REFUSAL = 'OCI runtime exec failed: '

/** With which the engine's init process begins why it cannot run a command. */
export const INIT_REFUSAL = /^\[FATAL {1,9}tini \(\d{1,9}\)\] /
