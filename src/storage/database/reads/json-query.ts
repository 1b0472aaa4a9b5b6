import pg from 'pg'

/** Each costs memory on its connection; the one that was used first is the first to go. */
const MAX_STATEMENTS_PER_CONNECTION = 200

/** As much of the driver's connection as its queries use. */
interface Wire {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { text: string; name: string }): void
  bind(message: { portal: string; statement: string; values: (string | null)[] }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

/** Columns as PostgreSQL writes them. */
export type TextRow = (string | null)[]

/**
 * A query whose answer is text, mostly one JSON text. It leaves out what the driver does for answers of any shape: asking for their
 * columns, and making rows and objects of them.
 */
export class JsonQuery extends pg.Query {
  readonly #name: string
  readonly #text: string
  readonly #values: unknown[]
  readonly #rows: TextRow[] = []

  constructor(
    { name, text, values }: { name: string; text: string; values: unknown[] },
    done: (error: Error | null, rows: TextRow[]) => void,
  ) {
    super({ name, text })
    this.#name = name
    this.#text = text
    this.#values = values
    // The driver wraps it to end its timeout.
    ;(this as unknown as { callback: (error: Error | null) => void }).callback = (error) => done(error, this.#rows)
  }

  prepare(wire: Wire): void {
    if (this.#name === '') wire.parse({ text: this.#text, name: '' })
    else if (!(this.#name in wire.parsedStatements) && !(this.#name in wire.submittedNamedStatements)) {
      closeOldest(wire)
      wire.parse({ text: this.#text, name: this.#name })
      wire.submittedNamedStatements[this.#name] = this.#text
    }
    wire.bind({ portal: '', statement: this.#name, values: this.#values.map(asText) })
    wire.execute({ portal: '', rows: 0 })
    wire.sync()
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields)
  }

  handleCommandComplete(): void {}
}

function closeOldest(wire: Wire): void {
  const names = Object.keys(wire.parsedStatements)
  for (const name of names.slice(0, Math.max(0, names.length + 1 - MAX_STATEMENTS_PER_CONNECTION))) {
    wire.close({ type: 'S', name })
    delete wire.parsedStatements[name]
  }
}

/** A parameter as PostgreSQL reads it. */
function asText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(arrayItem).join(',')}}`
  return String(value)
}

const arrayItem = (value: unknown) => `"${(asText(value) ?? '').replace(/["\\]/g, '\\$&')}"`
