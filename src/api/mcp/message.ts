/** One JSON-RPC message as it came: what the SDK reads of it, and the arguments of a tool. */
export interface Message {
  envelope: unknown
  given: unknown
}

/** Why a body is no message that is served, as JSON-RPC says it. */
export interface MessageProblem {
  code: number
  problem: string
}

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

/** Of a message without its arguments. Clients send a tool's name and some facts about themselves. */
const ENVELOPE_CHARACTERS = 16 * 1024

/**
 * Reads one message. Arguments go to the tool as they were sent: the SDK would copy them several times, and leave out a
 * field named __proto__, which REST refuses by name.
 */
export function readMessage(text: string): Message | MessageProblem {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { code: PARSE_ERROR, problem: 'The body is not valid JSON' }
  }
  // Each message counts in the rate limit, and so comes on its own.
  if (Array.isArray(message))
    return { code: INVALID_REQUEST, problem: 'Send one message per request: batches are refused' }
  const read = withoutArguments(message)
  if (text.length > ENVELOPE_CHARACTERS && charactersOf(read.envelope) > ENVELOPE_CHARACTERS) {
    const problem = `A message may have at most ${ENVELOPE_CHARACTERS} characters besides its arguments`
    return { code: INVALID_REQUEST, problem }
  }
  return read
}

function withoutArguments(message: unknown): Message {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params))
    return { envelope: message, given: undefined }
  const { arguments: given, ...params } = message.params
  return { envelope: { ...message, params }, given }
}

/** Infinity for what is nested too deeply to be written. */
function charactersOf(value: unknown): number {
  try {
    return JSON.stringify(value).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
