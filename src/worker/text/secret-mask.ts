import { MASK } from '../../domain/mask.ts'

/** Replaces secrets in a text. */
export type Mask = (text: string) => string

export { MASK }

/** Shorter values occur in too many places that are no secret. */
const MIN_SECRET = 6
/** An encoded form loses characters at both ends, where it depends on its neighbours. */
const MIN_ENCODED = 8

/** Of all secrets together: encoding megabytes would block the worker. */
const MAX_ENCODED_CHARACTERS = 256 * 1024

/** More than the longest text that is shown, by far; what is beyond it is not shown. */
const MAX_CHARACTERS = 128 * 1024

/**
 * Masks these values wherever programs usually write them: as they are, line by line, and escaped for JSON, for a URL or
 * as base64, alone or within a longer text such as `user:password`.
 */
export function createMask(secrets: readonly string[]): Mask {
  const forms = new Set(allForms([...new Set(secrets.flatMap(piecesOf))]))
  // A form may contain a shorter one.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  return (text) => {
    const isCut = text.length > MAX_CHARACTERS
    const masked = longestFirst.reduce(
      (rest, form) => rest.replaceAll(form, MASK),
      isCut ? text.slice(0, MAX_CHARACTERS) : text,
    )
    // The cut may have gone through a secret, whose beginning would be shown.
    return isCut && masked.includes(MASK) ? masked.slice(0, masked.lastIndexOf(MASK) + MASK.length) : masked
  }
}

/** Programs print a secret of several lines line by line, and perhaps not from its beginning. */
const piecesOf = (secret: string): string[] =>
  [secret, ...secret.split(/\r?\n/).map((line) => line.trim())].filter((piece) => piece.length >= MIN_SECRET)

/** Passwords and tokens are short: it is the longest values whose encoded forms are left out. */
function* allForms(pieces: string[]): Generator<string> {
  let length = 0
  for (const piece of pieces.sort((a, b) => a.length - b.length)) {
    length += piece.length
    if (length <= MAX_ENCODED_CHARACTERS) yield* formsOf(piece)
    else yield piece
  }
}

function formsOf(piece: string): string[] {
  const text = piece.toWellFormed()
  const url = encodeURIComponent(text)
  const json = JSON.stringify(text).slice(1, -1)
  return [
    text,
    json,
    json.replaceAll('/', '\\/'),
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...[0, 1, 2].flatMap((offset) => base64Of(text, offset)),
  ]
}

/** The part of the base64 of a longer text that this one decides, when it begins `offset` bytes into a group of three. */
function base64Of(text: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
  const decided = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const
  const forms = [bytes.toString('base64').slice(...decided), bytes.toString('base64url').slice(...decided)]
  return forms.filter((form) => form.length >= MIN_ENCODED)
}
