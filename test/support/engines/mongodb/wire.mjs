// Messages of MongoDB's wire protocol: OP_MSG, and OP_QUERY, with which drivers say hello.
import { deserialize, serialize } from 'bson'

const HEADER = 16
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013]
const CHECKSUM_PRESENT = 1
const MORE_TO_COME = 2

/** Whole messages of a stream of bytes. */
export async function* messages(socket) {
  let pending = Buffer.alloc(0)
  for await (const chunk of socket) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    while (pending.length >= HEADER && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0)
      yield pending.subarray(0, length)
      pending = pending.subarray(length)
    }
  }
}

const documentAt = (bytes, at) => bytes.subarray(at, at + bytes.readInt32LE(at))

export function commandOf(message) {
  const opcode = message.readInt32LE(12)
  if (opcode === OP_MSG) return ofMessage(message)
  if (opcode !== OP_QUERY) throw new Error(`Messages of kind ${opcode} are not understood`)
  const nameEnd = message.indexOf(0, HEADER + 4)
  const ns = message.toString('utf8', HEADER + 4, nameEnd)
  return { ...deserialize(documentAt(message, nameEnd + 9)), $db: ns.replace(/\..*$/, '') }
}

function ofMessage(message) {
  const flags = message.readUInt32LE(HEADER)
  const end = flags & CHECKSUM_PRESENT ? message.length - 4 : message.length
  let command = {}
  for (let at = HEADER + 4; at < end; ) {
    const kind = message[at]
    if (kind === 0) {
      const document = documentAt(message, at + 1)
      command = { ...deserialize(document), ...command }
      at += 1 + document.length
    } else {
      const size = message.readInt32LE(at + 1)
      const nameEnd = message.indexOf(0, at + 5)
      const sequence = []
      for (let next = nameEnd + 1; next < at + 1 + size; ) {
        const document = documentAt(message, next)
        sequence.push(deserialize(document))
        next += document.length
      }
      command = { ...command, [message.toString('utf8', at + 5, nameEnd)]: sequence }
      at += 1 + size
    }
  }
  // A document sequence may come before the command itself, whose name is the first field.
  const { documents, updates, deletes, ...rest } = command
  const sequences = { documents, updates, deletes }
  for (const [name, value] of Object.entries(sequences)) if (value !== undefined) rest[name] = value
  return rest
}

export const wantsAnswer = (message) =>
  message.readInt32LE(12) !== OP_MSG || (message.readUInt32LE(HEADER) & MORE_TO_COME) === 0

export function answerMessage(message, answer) {
  const body = serialize(answer)
  const isQuery = message.readInt32LE(12) === OP_QUERY
  const before = Buffer.alloc(HEADER + (isQuery ? 20 : 5))
  before.writeInt32LE(before.length + body.length, 0)
  before.writeInt32LE(message.readInt32LE(4), 8)
  before.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12)
  if (isQuery) before.writeInt32LE(1, HEADER + 16)
  return Buffer.concat([before, body])
}
