/** What was sent is not an HTTP/1.1 message that can be passed on. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

// RFC 9110 §5.6.2.
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// Lines of tabs, printable ASCII and bytes beyond ASCII (RFC 9110 §5.5), each ended by both characters: no client or app may
// see the end of a line where we see none.
const LINES = /^(?:[\t\x20-\x7e\x80-\xff]*\r\n)*[\t\x20-\x7e\x80-\xff]*$/
const SPACE = 0x20
const TAB = 0x09
const MAX_KNOWN = 1_000
// Longer ones are rare, and would fill memory.
const MAX_KNOWN_LENGTH = 64

/** The lines of a head, or of trailers, without their ends. Throws MalformedMessage for forbidden characters. */
export function linesOf(text: string): string[] {
  if (!LINES.test(text)) throw new MalformedMessage('a forbidden character in a header')
  return text.split('\r\n')
}

/** Without the spaces and tabs around it. `trim` would also remove bytes that belong to a character of UTF-8. */
export function trimmed(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1
  return value.slice(start, end)
}

const isBlank = (code: number) => code === SPACE || code === TAB

/** Where the name in a header line ends. Throws MalformedMessage for a line without one. */
export function endOfName(line: string): number {
  const colon = line.indexOf(':')
  if (colon < 1) throw new MalformedMessage('a header line without a name')
  return colon
}

/** Takes a header line apart. Throws MalformedMessage for what another program could read differently. */
export function readHeaderLine(line: string): [name: string, value: string] {
  linesOf(line)
  const colon = endOfName(line)
  const name = line.slice(0, colon)
  if (!NAME.test(name)) throw new MalformedMessage('a header line without a name')
  return [name, trimmed(line.slice(colon + 1))]
}

/** Names of headers, checked once: most messages have the same few. */
export class HeaderNames<Meaning> {
  private readonly known = new Map<string, Meaning>()
  private readonly meaningOf: (lowerName: string) => Meaning

  constructor(meaningOf: (lowerName: string) => Meaning) {
    this.meaningOf = meaningOf
  }

  /** Throws MalformedMessage for a name that is none. */
  get(name: string): Meaning {
    const known = this.known.get(name)
    if (known !== undefined) return known
    if (!NAME.test(name)) throw new MalformedMessage('a header line without a name')
    // A copy: as a part of its message it would keep all of it in memory.
    const copy = Buffer.from(name, 'latin1').toString('latin1')
    const meaning = this.meaningOf(copy.toLowerCase())
    // A client that fills it with unusual names must not end its use for the others.
    if (this.known.size >= MAX_KNOWN) this.known.clear()
    if (copy.length <= MAX_KNOWN_LENGTH) this.known.set(copy, meaning)
    return meaning
  }
}
