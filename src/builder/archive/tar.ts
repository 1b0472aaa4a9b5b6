import { BuildFailure } from '../../domain/build-failure.ts'
import { textOf } from './byte-names.ts'
import type { SourceWriter } from './source-writer.ts'

/** What no image is built from. It is refused only when the build would see it. */
const SPECIAL: Readonly<Record<string, string>> = { 3: 'a character device', 4: 'a block device', 6: 'a pipe' }

export async function extractTar(tar: AsyncIterable<Uint8Array>, writer: SourceWriter): Promise<void> {
  for await (const entry of tarEntries(tar)) await take(entry, writer)
  await writer.finish()
}

async function take({ name, type, mode, target, content }: TarEntry, writer: SourceWriter): Promise<void> {
  const special = SPECIAL[type]
  if (special) return writer.absent(name, `is ${special}`)
  if (type === '1') return writer.hardLink(name, target)
  if (type === '2') return writer.link(name, target)
  // Archivers of old have no type for folders; D is a folder of an incremental backup, with a list of its files.
  if (type === '5' || type === 'D' || (isFile(type) && name.endsWith('/'))) return writer.directory(name, mode)
  if (isFile(type)) return writer.file(name, content(), mode)
  throw new BuildFailure(
    'SOURCE_REFUSED',
    `The archive holds ${JSON.stringify(textOf(name).slice(0, 120))}, whose type in tar, ${JSON.stringify(type)}, is not known: it is neither a file, a folder nor a link`,
  )
}

/** Contiguous files (7) are files, and so are sparse ones (S), whose content comes with its holes filled. */
const isFile = (type: string): boolean => type === '0' || type === '7' || type === 'S'

// The formats of tar that archivers write: v7, ustar, pax (POSIX.1-2001), and GNU with long names and sparse files. Names are
// bytes (byte-names.ts). No package on npm reads sparse files, or names that are not UTF-8.

const BLOCK = 512
const MAX_RECORDS_BYTES = 1024 * 1024
const MAX_NAME_BYTES = 64 * 1024
/** Pieces of one sparse file. */
const MAX_PIECES = 100_000
const ZEROS = Buffer.alloc(64 * 1024)

interface TarEntry {
  name: string
  /** The type flag: `0` for a file, of which older archives have another spelling. */
  type: string
  mode: number
  /** Of a link. */
  target: string
  /** Once: the content, with the holes of a sparse file filled with zeros. What is left of it is skipped. */
  content: () => AsyncGenerator<Uint8Array>
}

/** A part of a sparse file that is in the archive. */
interface Piece {
  offset: number
  bytes: number
}

interface Header {
  name: string
  type: string
  mode: number
  size: number
  target: string
  block: Buffer
}

/** What the headers before an entry say of it. */
interface Announced {
  longName: string | null
  longTarget: string | null
  records: Records
}

interface Records {
  values: ReadonlyMap<string, string>
  /** In format 0.0, the only records that are repeated. */
  pieces: readonly Piece[]
}

const NO_RECORDS: Records = { values: new Map(), pieces: [] }

/** Throws an Error that says why the archive cannot be read. */
async function* tarEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new TarSource(chunks)
  let common = NO_RECORDS
  let announced: Announced = { longName: null, longTarget: null, records: NO_RECORDS }
  for (;;) {
    const block = await source.take(BLOCK)
    // An archive ends with blocks of zeros, which some archivers leave out.
    if (block === null || block.every((byte) => byte === 0)) break
    const header = headerOf(block)
    const { type, size } = header
    if (type === 'g') common = recordsOf(await source.small(size, MAX_RECORDS_BYTES))
    else if (type === 'x' || type === 'X')
      announced = { ...announced, records: recordsOf(await source.small(size, MAX_RECORDS_BYTES)) }
    else if (type === 'L')
      announced = { ...announced, longName: textUntilNul(await source.small(size, MAX_NAME_BYTES)) }
    else if (type === 'K')
      announced = { ...announced, longTarget: textUntilNul(await source.small(size, MAX_NAME_BYTES)) }
    // The label of a volume.
    else if (type === 'V') await source.discard(padded(size))
    else {
      yield* entryOf(source, header, announced, common)
      announced = { longName: null, longTarget: null, records: NO_RECORDS }
    }
  }
  // What follows is no part of the archive, but of the stream, whose checksum comes last.
  await source.drain()
}

async function* entryOf(
  source: TarSource,
  header: Header,
  { longName, longTarget, records }: Announced,
  common: Records,
): AsyncGenerator<TarEntry> {
  const value = (key: string) => records.values.get(key) ?? common.values.get(key)
  const { type, mode } = header
  const name = value('GNU.sparse.name') ?? value('path') ?? longName ?? header.name
  const target = value('linkpath') ?? longTarget ?? header.target
  const pieces = type === 'S' ? await oldPieces(source, header.block) : null
  // A hard link has the size of its file, and no content.
  const stored = type === '1' ? 0 : sizeIn(value('size'), header.size)
  const end = source.position + padded(stored)
  const sparse = pieces ?? (await paxPieces(source, value, records.pieces))
  const bytes = stored - (pieces ? 0 : source.position - (end - padded(stored)))
  const content = sparse ? filled(source, sparse, bytes) : source.read(bytes)
  yield { name, type, mode, target, content: () => content }
  await content.return(undefined)
  await source.discard(end - source.position)
}

interface Sparse {
  pieces: readonly Piece[]
  /** Of the whole file. */
  size: number
}

/** GNU's old format: four pieces in the header, and further ones in blocks of their own before the content. */
async function oldPieces(source: TarSource, block: Buffer): Promise<Sparse> {
  const pieces: Piece[] = []
  const read = (from: Buffer, at: number, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const start = at + index * 24
      if (from[start] === 0 && from[start + 12] === 0) continue
      pieces.push({ offset: numberIn(from, start, 12), bytes: numberIn(from, start + 12, 12) })
    }
    if (pieces.length > MAX_PIECES) throw unreadable('a sparse file has too many pieces')
  }
  read(block, 386, 4)
  for (let goesOn = block[482] !== 0; goesOn; ) {
    const further = await source.block()
    read(further, 0, 21)
    goesOn = further[504] !== 0
  }
  return { pieces, size: numberIn(block, 483, 12) }
}

/** GNU's formats in pax: 0.0 with repeated records, 0.1 with one record, 1.0 with the map before the content. */
async function paxPieces(
  source: TarSource,
  value: (key: string) => string | undefined,
  repeated: readonly Piece[],
): Promise<Sparse | null> {
  if (value('GNU.sparse.major') === '1') {
    const size = numberOf(value('GNU.sparse.realsize') ?? '')
    return { pieces: await mapBefore(source), size }
  }
  const given = value('GNU.sparse.size')
  if (given === undefined) return null
  const map = value('GNU.sparse.map')
  const pieces = map === undefined ? repeated : piecesOf(map.split(',').map(numberOf))
  return { pieces, size: numberOf(given) }
}

/** Lines with the number of pieces, then each offset and size, filled up to a block. */
async function mapBefore(source: TarSource): Promise<Piece[]> {
  let text = ''
  const lines: string[] = []
  const read = async (count: number) => {
    while (lines.length < count) {
      text += textUntilNul(await source.block())
      const found = text.split('\n')
      text = found.pop() ?? ''
      for (const line of found) lines.push(line)
    }
  }
  await read(1)
  const count = numberOf(lines[0] ?? '')
  if (count > MAX_PIECES) throw unreadable('a sparse file has too many pieces')
  await read(1 + 2 * count)
  return piecesOf(lines.slice(1, 1 + 2 * count).map(numberOf))
}

function piecesOf(numbers: readonly number[]): Piece[] {
  if (numbers.length % 2 !== 0 || numbers.length > 2 * MAX_PIECES) throw unreadable('a sparse file’s map is incomplete')
  return Array.from({ length: numbers.length / 2 }, (_, at) => ({
    offset: numbers[2 * at] ?? 0,
    bytes: numbers[2 * at + 1] ?? 0,
  }))
}

/** A sparse file as a whole. */
async function* filled(source: TarSource, { pieces, size }: Sparse, stored: number): AsyncGenerator<Uint8Array> {
  let at = 0
  let left = stored
  for (const { offset, bytes } of pieces) {
    if (offset < at || offset + bytes > size || bytes > left) throw unreadable('a sparse file’s map does not fit it')
    yield* zeros(offset - at)
    yield* source.read(bytes)
    at = offset + bytes
    left -= bytes
  }
  if (left !== 0) throw unreadable('a sparse file’s map does not fit it')
  yield* zeros(size - at)
}

function* zeros(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, Math.min(left, ZEROS.length))
}

function headerOf(block: Buffer): Header {
  assertChecksum(block)
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0'
  const [name, prefix] = [field(block, 0, 100), isPosix ? field(block, 345, 155) : '']
  const flag = String.fromCharCode(block[156] ?? 0)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    // Before POSIX, a file had none.
    type: flag === '\0' ? '0' : flag,
    mode: numberIn(block, 100, 8),
    size: numberIn(block, 124, 12),
    target: field(block, 157, 100),
    block,
  }
}

/** The sum of all bytes, of which old archivers took those above 127 for negative. */
function assertChecksum(block: Buffer): void {
  const [unsigned, signed] = block.reduce(
    ([plain = 0, negative = 0], byte, at) => {
      const counted = at >= 148 && at < 156 ? 32 : byte
      return [plain + counted, negative + (counted > 127 ? counted - 256 : counted)]
    },
    [0, 0],
  )
  const expected = numberIn(block, 148, 8)
  if (expected !== unsigned && expected !== signed) throw unreadable('a header’s checksum is wrong')
}

const field = (block: Buffer, start: number, length: number): string =>
  textUntilNul(block.subarray(start, start + length))

function textUntilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end < 0 ? undefined : end)
}

/** In octal digits, or in binary where they do not suffice. */
function numberIn(block: Buffer, start: number, length: number): number {
  const bytes = block.subarray(start, start + length)
  const first = bytes[0] ?? 0
  if (first & 0x80) {
    const value = bytes.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte & 0x7f : byte), 0)
    if (first === 0xff || !Number.isSafeInteger(value)) throw unreadable('a number in a header is out of range')
    return value
  }
  const text = textUntilNul(bytes).trim()
  if (text === '') return 0
  if (!/^[0-7]+$/.test(text)) throw unreadable('a number in a header is not octal')
  return Number.parseInt(text, 8)
}

function numberOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw unreadable('a number in a record is not decimal')
  return Number(text)
}

const sizeIn = (record: string | undefined, size: number): number => (record === undefined ? size : numberOf(record))

/** Records of the form `length key=value`, in bytes, each with a line end. */
function recordsOf(bytes: Buffer): Records {
  const values = new Map<string, string>()
  const pieces: Piece[] = []
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 || space - at > 8 ? 0 : numberOf(bytes.toString('latin1', at, space))
    const equals = bytes.indexOf(0x3d, space)
    if (equals < 0 || at + length > bytes.length || equals >= at + length) throw unreadable('a record is malformed')
    const key = bytes.toString('latin1', space + 1, equals)
    const value = bytes.toString('latin1', equals + 1, at + length - 1)
    values.set(key, value)
    if (key === 'GNU.sparse.offset') pieces.push({ offset: numberOf(value), bytes: 0 })
    const last = pieces.at(-1)
    if (key === 'GNU.sparse.numbytes' && last) last.bytes = numberOf(value)
    at += length
  }
  return { values, pieces }
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

const unreadable = (why: string): Error => new Error(why)

/** The bytes of an archive, one after another. */
class TarSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  position = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Null at the end. */
  async take(bytes: number): Promise<Buffer | null> {
    const parts: Buffer[] = []
    for (let left = bytes; left > 0; ) {
      const part = await this.#next(left)
      if (part === null) {
        if (parts.length === 0) return null
        throw unreadable('it ends in the middle')
      }
      parts.push(part)
      left -= part.length
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  async block(): Promise<Buffer> {
    const block = await this.take(BLOCK)
    if (block === null) throw unreadable('it ends in the middle')
    return block
  }

  /** The content of a header about another entry. */
  async small(bytes: number, limit: number): Promise<Buffer> {
    if (bytes > limit) throw unreadable('a header is too long')
    const content = bytes === 0 ? Buffer.alloc(0) : await this.take(padded(bytes))
    if (content === null) throw unreadable('it ends in the middle')
    return content.subarray(0, bytes)
  }

  async *read(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      const part = await this.#next(left)
      if (part === null) throw unreadable('it ends in the middle')
      left -= part.length
      yield part
    }
  }

  async discard(bytes: number): Promise<void> {
    for await (const _part of this.read(bytes));
  }

  async drain(): Promise<void> {
    while ((await this.#next(Number.MAX_SAFE_INTEGER)) !== null);
  }

  /** At most so many bytes, without copying them. */
  async #next(most: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return null
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const part = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(part.length)
    this.position += part.length
    return part
  }
}
