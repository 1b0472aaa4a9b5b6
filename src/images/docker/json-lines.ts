/**
 * Long calls answer with status 200 and then a stream: one JSON object a line. A later failure is such an object too.
 */
export async function* jsonLines<Message extends object>(stream: NodeJS.ReadableStream): AsyncGenerator<Message> {
  stream.setEncoding('utf8')
  let unfinished = ''
  for await (const chunk of stream) {
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
}
