import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

const A = 1
const CNAME = 5
const TXT = 16
const KINDS: Readonly<Record<number, string>> = { [A]: 'A', [CNAME]: 'CNAME', [TXT]: 'TXT' }
const NO_SUCH_NAME = 3

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.alloc(1),
  ])

const textBytes = (text: string): Buffer => Buffer.from([text.length, ...Buffer.from(text)])

/** A real DNS server on loopback that knows only the given records, as `TYPE name` → value. A wildcard is a name, `*.example.test`. */
export async function startDnsServer(records: Map<string, string>) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => socket.send(answerTo(query, records), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

function answerTo(query: Buffer, records: ReadonlyMap<string, string>): Buffer {
  const labels: string[] = []
  let at = 12
  while (query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
    at += 1 + (query[at] ?? 0)
  }
  const type = query.readUInt16BE(at + 1)
  const kind = KINDS[type]
  const [, ...above] = labels
  const value =
    kind && (records.get(`${kind} ${labels.join('.').toLowerCase()}`) ?? records.get(`${kind} *.${above.join('.')}`))
  const found = value !== undefined
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8400 | (found ? 0 : NO_SUCH_NAME), 2)
  header.writeUInt16BE(found ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  const parts = [header, query.subarray(12, at + 5)]
  if (found) {
    const data =
      type === A ? Buffer.from(value.split('.').map(Number)) : type === CNAME ? nameBytes(value) : textBytes(value)
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt16BE(data.length, 10)
    parts.push(fixed, data)
  }
  return Buffer.concat(parts)
}
