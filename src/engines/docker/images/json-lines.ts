import { WholeLines } from '../whole-lines.ts'

/** No answer has a message that is near. One of the builder in the engine has all that a step printed meanwhile. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Long calls answer with status 200 and then a stream: one JSON object a line. A later failure is such an object too. A
 * stream that breaks off says that this call failed, not that the engine is away: what it ran may be what broke it, and
 * must not run again and again without being counted.
 */
export async function* jsonLines<Message extends object>(stream: NodeJS.ReadableStream): AsyncGenerator<Message> {
  const whole = new WholeLines(MAX_MESSAGE_BYTES)
  for await (const chunk of unbroken(stream))
    for (const line of whole.add(chunk)) if (line.trim() !== '') yield JSON.parse(line)
}

async function* unbroken(stream: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } catch (error) {
    throw new Error('The container engine broke off its answer', { cause: error })
  }
}
