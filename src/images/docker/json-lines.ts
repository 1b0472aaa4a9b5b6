/**
 * Long calls are answered by a stream that began with 200: one JSON object a line. Whatever goes wrong from then on is
 * such an object too.
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
