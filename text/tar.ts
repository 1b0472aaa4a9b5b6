const BLOCK = 512
const MAX_NAME_BYTES = 100
const MAX_PREFIX_BYTES = 155
/** Eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1

/**
 * Programs may be run. Browsers report no modes, as Windows does not, and docker packs folders of Windows like this: a
 * start script without the right to run would fail in the container.
 */
const MODE = 0o755

export interface TarFile {
  /** Below the archive’s root, with `/`. */
  path: string
  size: number
}

const utf8 = new TextEncoder()

/** What stands before the bytes of a file: a header of ustar, and one of pax before it where the path fits into no other. */
export function tarHeader({ path, size }: TarFile): Uint8Array {
  if (size > MAX_SIZE) throw new Error(`${path} is too large for an archive`)
  const split = splitPath(utf8.encode(path))
  if (split) return ustar({ ...split, size, type: '0' })
  const record = paxRecord('path', path)
  const pax = ustar({ name: utf8.encode('pax'), prefix: new Uint8Array(), size: record.length, type: 'x' })
  const short = ustar({ name: utf8.encode('long-path'), prefix: new Uint8Array(), size, type: '0' })
  return joined([pax, record, new Uint8Array(tarPadding(record.length)), short])
}

/** How many zeros follow the bytes of a file. */
export const tarPadding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** What stands at the end of an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK)

/** Null where no `/` divides the path into parts that both fit. */
function splitPath(path: Uint8Array): { prefix: Uint8Array; name: Uint8Array } | null {
  if (path.length <= MAX_NAME_BYTES) return { prefix: new Uint8Array(), name: path }
  for (let at = Math.max(1, path.length - MAX_NAME_BYTES - 1); at <= MAX_PREFIX_BYTES && at < path.length - 1; at += 1)
    if (path[at] === 0x2f) return { prefix: path.subarray(0, at), name: path.subarray(at + 1) }
  return null
}

interface Header {
  name: Uint8Array
  prefix: Uint8Array
  size: number
  type: '0' | 'x'
}

/** Without owner and time: the same files are the same archive, which is not built twice. */
function ustar({ name, prefix, size, type }: Header): Uint8Array {
  const block = new Uint8Array(BLOCK)
  const octal = (value: number, digits: number) => utf8.encode(value.toString(8).padStart(digits, '0'))
  block.set(name, 0)
  block.set(octal(MODE, 7), 100)
  block.set(octal(0, 7), 108)
  block.set(octal(0, 7), 116)
  block.set(octal(size, 11), 124)
  block.set(octal(0, 11), 136)
  block.set(utf8.encode('        '), 148)
  block.set(utf8.encode(type), 156)
  block.set(utf8.encode('ustar\u000000'), 257)
  block.set(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.set(octal(sum, 6), 148)
  block[154] = 0
  return block
}

/** `30 path=…`: its length counts its own digits. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = utf8.encode(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return joined([utf8.encode(String(length)), rest])
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, { length }) => total + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
