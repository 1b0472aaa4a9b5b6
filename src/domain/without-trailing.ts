/**
 * The text without any of a character at its end. A pattern such as /-+$/ starts over at each run within the text, and
 * takes quadratic time.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
