import { existsSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PROCESS_INFO, type ProcessInfo } from './process-info.ts'
import { isOfThisBoot, isWorker, type RegistryDirectory } from './registry-directory.ts'

const ANSWER_MS = 1_000
const DRAFT = /^draft-/

export interface ListedProcesses {
  /** The processes that answer. */
  living: ProcessInfo[]
  /** Names of worker processes that are certainly dead. */
  deadWorkers: string[]
}

/** Who else is on this data directory, and who was. What is left of processes that held nothing is cleared away. */
export async function listProcesses({ folder, alias }: RegistryDirectory, own: string): Promise<ListedProcesses> {
  const names = readdirSync(folder).filter((name) => name !== own && !DRAFT.test(name))
  const [here, elsewhere] = [names.filter(isOfThisBoot), names.filter((name) => !isOfThisBoot(name))]
  const answers = await Promise.all(here.map((name) => ask(join(alias, name))))
  const dead = here.filter((_, index) => answers[index] === 'dead')
  for (const name of [...elsewhere, ...dead.filter((each) => !isWorker(each))])
    rmSync(join(folder, name), { force: true })
  return {
    living: answers.filter((answer) => typeof answer === 'object'),
    deadWorkers: dead.filter(isWorker),
  }
}

/** Which of the processes answer within the time, and the names of those that do not. Changes nothing. */
export async function askProcesses(
  { folder, alias }: RegistryDirectory,
  { among = readdirSync(folder), answerMs = ANSWER_MS }: { among?: readonly string[]; answerMs?: number } = {},
): Promise<{ living: ProcessInfo[]; silent: string[] }> {
  const names = among.filter((name) => !DRAFT.test(name) && isOfThisBoot(name) && existsSync(join(folder, name)))
  const answers = await Promise.all(names.map((name) => ask(join(alias, name), answerMs)))
  return {
    living: answers.filter((answer) => typeof answer === 'object'),
    silent: names.filter((_, index) => answers[index] === 'silent'),
  }
}

/** Only a refused connection proves that a process is dead. A silent one may be paused. */
function ask(path: string, answerMs = ANSWER_MS): Promise<ProcessInfo | 'dead' | 'silent'> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(path)
    socket.setTimeout(answerMs, () => {
      socket.destroy()
      resolve('silent')
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'dead' : 'silent'))
    socket.once('end', () => resolve(read(text) ?? 'silent'))
  })
}

function read(text: string): ProcessInfo | null {
  try {
    return PROCESS_INFO.parse(JSON.parse(text))
  } catch {
    return null
  }
}
