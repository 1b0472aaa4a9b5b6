/** Characters that no shell gives a meaning to. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** The text as one word of a POSIX shell. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
