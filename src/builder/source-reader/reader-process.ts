// The process in which everything that tenants wrote is read. It has no secrets, no children and no threads, limits on
// memory and processor time, and ends with the worker that started it.
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { BuildFailure } from '../../domain/build-failure.ts'
import { isDiskTrouble } from '../disk-trouble.ts'
import { FrameParser, frameOf, MAX_MESSAGE_LENGTH } from './frames.ts'
import { readings } from './readings.ts'

const CHANNEL = 3
const OUTPUT = 4
/** The worker's questions contain what the process itself has answered, and values of variables. */
const MAX_QUESTION_BYTES = 256 * 1024 * 1024

type Reading = (input: unknown, output: () => Socket) => Promise<unknown>

async function outcomeOf(name: string, input: unknown): Promise<unknown> {
  try {
    const reading = readings[name as keyof typeof readings] as Reading
    return { answer: await reading(input, () => new Socket({ fd: OUTPUT })) }
  } catch (error) {
    const words = ({ message }: Error) => message.slice(0, MAX_MESSAGE_LENGTH)
    if (error instanceof BuildFailure) return { failure: error.reason, message: words(error) }
    if (isDiskTrouble(error)) return { trouble: words(error as Error) }
    const { name: kind, code } = error as NodeJS.ErrnoException
    // The message may contain this machine's paths.
    return { failure: 'SOURCE_REFUSED', message: `The source cannot be read (${code ?? kind})` }
  }
}

// Readers are killed, so what each of them loads is kept now: before anything of a tenant's is read.
flushCompileCache()
const channel = new Socket({ fd: CHANNEL })
const questions = new FrameParser(MAX_QUESTION_BYTES)
channel.on('data', async (chunk: Buffer) => {
  for (const question of questions.read(chunk)) {
    const { name, input } = question as { name: string; input: unknown }
    channel.write(frameOf(await outcomeOf(name, input)))
  }
})
for (const event of ['end', 'close', 'error']) channel.on(event, () => process.exit())
