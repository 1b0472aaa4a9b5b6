/**
 * The line of a text in YAML, counted from 1, on which a path such as `['services', 'web', 'ports']` begins; of what is not
 * found, that of what is above it, or null. It reads indentation, not YAML: good enough to lead to a place, for which no
 * parser has to be loaded.
 */
export function lineOfPath(text: string, path: readonly string[]): number | null {
  const lines = text.split('\n')
  let found: number | null = null
  let from = 0
  let above = -1
  for (const part of path) {
    const next = /^\d+$/.test(part) ? itemBelow(lines, from, above, Number(part)) : keyBelow(lines, from, above, part)
    if (!next) return found
    found = next.line + 1
    from = next.line + (next.isItem ? 0 : 1)
    above = next.indent
  }
  return found
}

interface Place {
  line: number
  indent: number
  isItem: boolean
}

const MEANS_NOTHING = /^\s*(?:#|$)/

/** The lines below a place are those that are indented more. */
function keyBelow(lines: readonly string[], from: number, above: number, key: string): Place | null {
  const wanted = new RegExp(`^(\\s*(?:- +)?)(["']?)${key.replace(/[^\w]/g, '\\$&')}\\2\\s*:(?:\\s|$)`)
  let level: number | null = null
  for (let line = from; line < lines.length; line += 1) {
    const text = lines[line] ?? ''
    if (MEANS_NOTHING.test(text)) continue
    const indent = text.search(/[^\s-]/)
    if (indent <= above) return null
    level ??= indent
    if (indent === level && wanted.test(text)) return { line, indent, isItem: false }
  }
  return null
}

/** Items may stand as far left as the key that they are of. */
function itemBelow(lines: readonly string[], from: number, above: number, at: number): Place | null {
  let [count, level] = [-1, null as number | null]
  for (let line = from; line < lines.length; line += 1) {
    const text = lines[line] ?? ''
    if (MEANS_NOTHING.test(text)) continue
    const indent = text.search(/\S/)
    const isItem = /^\s*-(?:\s|$)/.test(text)
    if (indent < above || (indent === above && !isItem)) return null
    if (isItem) level ??= indent
    if (isItem && indent === level && ++count === at) return { line, indent, isItem: true }
  }
  return null
}
