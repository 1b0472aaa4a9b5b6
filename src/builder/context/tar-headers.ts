import { bytesOf } from '../archive/byte-names.ts'

const BLOCK = 512
/** What a name or a target has in a header; GNU's format puts longer ones into an entry before it. */
const MAX_FIELD_BYTES = 100
const TYPES = { file: '0', link: '2', folder: '5' } as const

export interface PackedEntry {
  /** As bytes (byte-names.ts): of names that are not UTF-8, other writers of tar make other names. */
  name: string
  type: keyof typeof TYPES
  mode: number
  size?: number
  target?: string
}

/**
 * The header of an entry, without a time, in GNU's format, which every engine and Busybox read. The same entry gives the
 * same bytes: the engine's cache depends on it.
 */
export function headerOf({ name, type, mode, size = 0, target = '' }: PackedEntry): Buffer {
  const path = type === 'folder' ? `${name}/` : name
  return Buffer.concat([
    ...longField('K', target),
    ...longField('L', path),
    block({ name: path, type: TYPES[type], mode, size, target }),
  ])
}

/** What fills the last block of a file. */
/** None for a content that fills it. */
export const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** The end of an archive. */
export const END = Buffer.alloc(2 * BLOCK)

function longField(type: string, value: string): Buffer[] {
  if (value.length <= MAX_FIELD_BYTES) return []
  const content = Buffer.concat([bytesOf(value), Buffer.alloc(1)])
  const header = block({ name: '././@LongLink', type, mode: 0, size: content.length, target: '' })
  return [header, content, padding(content.length)]
}

function block(entry: { name: string; type: string; mode: number; size: number; target: string }): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, start: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), start, 'latin1')
  header.write(entry.name.slice(0, MAX_FIELD_BYTES), 0, 'latin1')
  octal(entry.mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(entry.size, 124, 12)
  octal(0, 136, 12)
  header.write(' '.repeat(8), 148, 'latin1')
  header.write(entry.type, 156, 'latin1')
  header.write(entry.target.slice(0, MAX_FIELD_BYTES), 157, 'latin1')
  header.write('ustar  \0', 257, 'latin1')
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}
