import { type LogLevel, levelOfWord } from '../../domain/log-level.ts'

/** How an engine's log reads. */
export interface LogFormat {
  /** The first line of an entry. Others belong to the entry before. */
  entry: RegExp
  /** Its first group is the word that names the level of the line. */
  level: RegExp
}

/** Null where the line names no level: it is never guessed. */
export function levelOf({ level }: LogFormat, message: string): LogLevel | null {
  const word = level.exec(message)?.[1]
  return word === undefined ? null : levelOfWord(word)
}

/** Words after which statements and commands have a secret. */
const SECRET_FOLLOWS = /password|identified|requirepass|masterauth|\bauth\b|setuser|"pwd"/i
const ASSIGNED = /(password\s*=\s*)[^\s'",;)]+/gi
const QUOTE = /'|"|\$\w{0,63}\$/g
const HIDDEN = '***'

/**
 * Hides the secrets of statements that an engine logs: whatever is quoted after such a word, up to the end of the entry,
 * on however many lines. Lines are passed in the order of one stream; those before the first entry count as secret.
 */
export class SecretFilter {
  readonly #format: LogFormat
  #isAfterWord = true
  /** The quote that the line before left open. */
  #open: string | null = null

  constructor(format: LogFormat) {
    this.#format = format
  }

  hide(message: string): string {
    if (this.#format.entry.test(message)) {
      this.#isAfterWord = false
      this.#open = null
    }
    const word = this.#isAfterWord ? null : SECRET_FOLLOWS.exec(message)
    if (!this.#isAfterWord && !word) return message
    this.#isAfterWord = true
    const start = word ? endOfWord(message, word.index, word[0]) : 0
    const rest = message.slice(start)
    return (message.slice(0, start) + this.#withoutQuoted(rest)).replaceAll(ASSIGNED, `$1${HIDDEN}`)
  }

  #withoutQuoted(text: string): string {
    let shown = ''
    let at = 0
    while (at < text.length) {
      if (this.#open === null) {
        QUOTE.lastIndex = at
        const quote = QUOTE.exec(text)
        if (!quote) return shown + text.slice(at)
        shown += text.slice(at, quote.index) + quote[0]
        at = quote.index + quote[0].length
        this.#open = quote[0]
      }
      const end = endOfQuoted(text, at, this.#open)
      shown += HIDDEN
      if (end === null) return shown
      shown += this.#open
      at = end + this.#open.length
      this.#open = null
    }
    return shown
  }
}

/** A word that is quoted itself, such as an element of a list, ends with its quote. */
function endOfWord(message: string, index: number, word: string): number {
  const end = index + word.length
  return message[end] === '"' && message[index - 1] === '"' ? end + 1 : end
}

/** Where the quote ends; null if the text does not end it. A quote that is doubled or escaped is part of what is quoted. */
function endOfQuoted(text: string, from: number, quote: string): number | null {
  if (quote.startsWith('$')) {
    const end = text.indexOf(quote, from)
    return end < 0 ? null : end
  }
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at
      at += 1
    }
  }
  return null
}
