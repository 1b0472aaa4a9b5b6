import { z } from 'zod'
import { type FieldProblem, invalidInput } from '../../../domain/errors.ts'

type Read = (text: string) => unknown

const readNumber: Read = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
const readBoolean: Read = (text) => (text === 'true' ? true : text === 'false' ? false : text)
const asIs: Read = (text) => text
/** A list is written as `?status=A&status=B`; one of words, which have no commas, also as `?status=A,B`. */
const readList = (text: string): unknown[] => [text]
const readWords = (text: string): unknown[] => text.split(',')
const LISTS = new Set<Read>([readList, readWords])

const READERS: Record<string, Read> = {
  integer: readNumber,
  number: readNumber,
  boolean: readBoolean,
  array: readList,
  words: readWords,
}

/**
 * Converts a query string into the types of its schema, so that one schema validates bodies and queries alike. Values
 * that cannot be converted stay text, and the schema refuses them.
 */
export function queryReader(schema: z.ZodObject): (search: URLSearchParams) => Record<string, unknown> {
  // Made when the first query comes: a process that starts would make some hundred for nothing.
  let readers: Map<string, Read> | undefined
  return (search) => {
    const values: Record<string, unknown> = {}
    const problems: FieldProblem[] = []
    for (const [name, text] of search) {
      readers ??= readersOf(schema)
      const read = readers.get(name) ?? asIs
      const isThere = Object.hasOwn(values, name)
      if (isThere && !LISTS.has(read)) problems.push({ field: name, message: 'is there twice' })
      const value =
        isThere && LISTS.has(read) ? [...(values[name] as unknown[]), ...(read(text) as unknown[])] : read(text)
      // An assignment would not create a field named __proto__.
      Object.defineProperty(values, name, { value, enumerable: true, configurable: true })
    }
    if (problems.length > 0) throw invalidInput(problems)
    return values
  }
}

function readersOf(schema: z.ZodObject): Map<string, Read> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return new Map(
    Object.entries(properties).map(([name, property]) => {
      const { type = '', items } = property as { type?: string; items?: { enum?: unknown } }
      return [name, READERS[items?.enum ? 'words' : type] ?? asIs]
    }),
  )
}

const NOTHING = new URLSearchParams()

/** The query of a request's address; most requests have none, and parsing an address is expensive. */
export function searchOf(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return mark < 0 ? NOTHING : new URLSearchParams(url.slice(mark))
}
