import { crc32, deflateRawSync } from 'node:zlib'

interface ZipEntry {
  name: string
  content: string
  /** In Unix's format, including the type of file. */
  mode?: number
  /** The size that the archive declares. */
  claimedSize?: number
}

/** A zip file with these entries, even malformed ones: archivers refuse to create some of them. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { name, content, mode = 0o100644, claimedSize = Buffer.byteLength(content) } = entry
    const packed = deflateRawSync(content)
    const path = Buffer.from(name)
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(8, 4)
    about.writeUInt32LE(crc32(content), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(claimedSize, 18)
    about.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), about, path, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode * 0x10000) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const madeOnUnix = Buffer.from([20, 3])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), madeOnUnix, about, rest, path]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), end])
}
