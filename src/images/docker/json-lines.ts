/**
 * Long calls answer with status 200 and then a stream: one JSON object a line. A later failure is such an object too. A
 * stream that breaks off says that this call failed, not that the engine is away: what it ran may be what broke it, and
 * must not run again and again without being counted.
 */
export async function* jsonLines<Message extends object>(stream: NodeJS.ReadableStream): AsyncGenerator<Message> {
  stream.setEncoding('utf8')
  let unfinished = ''
  for await (const chunk of unbroken(stream)) {
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
}

async function* unbroken(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  try {
    for await (const chunk of stream) yield String(chunk)
  } catch (error) {
    throw new Error('The container engine broke off its answer', { cause: error })
  }
}
