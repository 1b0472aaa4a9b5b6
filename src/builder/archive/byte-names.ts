// Linux names files by bytes, and archives and repositories hold names that are no UTF-8. Such a name is a text of which
// each character is one byte (`latin1`): it can be compared, split and kept in a set, and nothing in it is lost.

/** For the file system, which takes names as bytes. */
export const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1')

export const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** For people, and for patterns: what is no UTF-8 becomes the replacement character, as builders read it. */
export const textOf = (name: string): string => bytesOf(name).toString('utf8')

/** A path below a folder whose own name is an ordinary text. */
export const bytesBelow = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), bytesOf(path)])
