/**
 * BuildKit reports by protocol buffers (moby.buildkit.v1.StatusResponse) in base64. Two parts are for people: the names
 * of steps as they begin, and their output. Field numbers are part of that format and never change.
 */
const RESPONSE = { vertexes: 1, logs: 3 } as const
const VERTEX = { name: 3, cached: 4, started: 5, completed: 6, error: 7 } as const
const LOG = { message: 4 } as const

const LENGTH_DELIMITED = 2

interface Field {
  number: number
  bytes: Buffer | null
  value: number
}

export function* buildKitLines(trace: string): Generator<string> {
  for (const field of fieldsOf(Buffer.from(trace, 'base64'))) {
    if (!field.bytes) continue
    if (field.number === RESPONSE.vertexes) yield* vertexLines(field.bytes)
    if (field.number === RESPONSE.logs) yield* logLines(field.bytes)
  }
}

function* vertexLines(bytes: Buffer): Generator<string> {
  const fields = [...fieldsOf(bytes)]
  const of = (number: number) => fields.find((field) => field.number === number)
  const name = of(VERTEX.name)?.bytes?.toString() ?? ''
  const failure = of(VERTEX.error)?.bytes?.toString()
  if (failure) yield `${name}: ${failure}`
  else if (of(VERTEX.cached)?.value) yield `${name} (cached)`
  else if (of(VERTEX.started) && !of(VERTEX.completed)) yield name
}

function* logLines(bytes: Buffer): Generator<string> {
  for (const { number, bytes: text } of fieldsOf(bytes)) {
    if (number === LOG.message && text)
      yield* text
        .toString()
        .split('\n')
        .filter((line) => line !== '')
  }
}

/** The fields of one message, in order. A field that is cut off at the end is left out. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) break
    }
    return value
  }
  while (at < bytes.length) {
    const tag = varint()
    const [number, type] = [Math.floor(tag / 8), tag % 8]
    if (type === LENGTH_DELIMITED) {
      const length = varint()
      yield { number, bytes: bytes.subarray(at, at + length), value: 0 }
      at += length
    } else if (type === 0) yield { number, bytes: null, value: varint() }
    else at += type === 1 ? 8 : 4
  }
}
