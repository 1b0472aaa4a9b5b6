import { z } from 'zod'

/** Several values in one field of a query, separated by commas; the schema shows it as text. */
export const commaSeparated = <Value extends z.ZodType<unknown, string>>(value: Value, max: number, about: string) =>
  z
    .string()
    .min(1)
    .max(10_000)
    .describe(`${about} Separated by commas, at most ${max}.`)
    .transform((text) => [...new Set(text.split(',').map((part) => part.trim()))])
    .pipe(z.array(value).max(max, `must be at most ${max}, separated by commas`))
