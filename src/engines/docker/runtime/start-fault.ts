import type { DockerVersion, ImageInspectInfo } from 'dockerode'
import { RuntimeError } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { type EngineWord, INIT_REFUSAL, says } from '../engine-words.ts'
import { readLogs } from './logs.ts'

/** Exit codes of a shell, and of the engine's init process, for a command that cannot be run or does not exist. */
const CANNOT_RUN: readonly number[] = [126, 127]
const LAST_LINES = 3

export const cannotRun = (exitCode: number | null): boolean => exitCode !== null && CANNOT_RUN.includes(exitCode)

/** What the author of an image can do about it. The first that applies. */
const ADVICE: readonly [word: EngineWord, advice: string][] = [
  ['userUnknown', 'create that user or group in the image before USER, or name its number'],
  ['workingDirTaken', 'that is a file of the image: WORKDIR of the Dockerfile, or workingDir, has to name a folder'],
  ['otherMachine', 'the program is for another machine, or a script without a first line that names its interpreter'],
  ['programDenied', 'it is no program: a folder, or a file that may not be executed (RUN chmod +x in the Dockerfile)'],
  [
    'programMissing',
    'the image has no such program, or lacks the interpreter that its first line names, which a line end of Windows changes, or the libraries that it needs',
  ],
]

/** The engine's words, and what to do about them. */
export function startFault(words: string): RuntimeError {
  const advice = ADVICE.find(([word]) => says(words, word))?.[1]
  return new RuntimeError('CONTAINER_START_FAILED', advice ? `${words.replace(/: unknown$/, '')}: ${advice}` : words)
}

/** Of a command: the last line of what it printed says that there was none. A program of its own may end with the same code. */
export const isRefusal = (line: string): boolean => INIT_REFUSAL.test(line) || says(line, 'otherMachine')

/** A command, and the last line that its container printed. */
interface FaultyCommand {
  image: string
  /** Of whose container. */
  subject: string
  words: string
}

/** Why a command could not be run. */
export async function commandFault(
  engine: DockerEngine,
  { image, subject, words }: FaultyCommand,
  signal: AbortSignal,
): Promise<RuntimeError> {
  const said = words.replace(INIT_REFUSAL, '')
  const { message } = startFault(`The command of ${subject} cannot be run${said ? `: ${said}` : ''}`)
  const other = await otherArchitecture(engine, image, signal).catch(() => null)
  return new RuntimeError('CONTAINER_START_FAILED', other ? `${message}; ${other}` : message)
}

/** The last line of a container that has ended; empty when there is none. */
export async function lastLineOf(engine: DockerEngine, id: string, signal: AbortSignal): Promise<string> {
  const lines = await Array.fromAsync(readLogs(engine, id, { tail: LAST_LINES }, signal))
  return lines.at(-1)?.message ?? ''
}

/** An image for another processor may yet run, where the machine emulates that: so only one that does not is looked at. */
async function otherArchitecture(engine: DockerEngine, image: string, signal: AbortSignal): Promise<string | null> {
  const [its, machine] = (await Promise.all([
    ask(engine, { path: `/images/${encodeURIComponent(image)}/json`, signal }),
    ask(engine, { path: '/version', signal }),
  ])) as [ImageInspectInfo, DockerVersion]
  const [imageFor, wanted] = [`${its.Os}/${its.Architecture}`, `${machine.Os}/${machine.Arch}`]
  if (imageFor === wanted) return null
  return `the image is for ${imageFor}, and the engine’s machine is ${wanted}: build it for that (docker build --platform ${wanted})`
}
