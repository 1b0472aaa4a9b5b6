/** Texts that cost a careless parser time: repeats, near matches of patterns, nesting. */

/** Repeated as often as fits. */
export const UNITS: readonly string[] = [
  'a',
  'A',
  '1',
  ' ',
  '\t',
  '\n',
  '-',
  '.',
  '/',
  '_',
  '"',
  "'",
  '\\',
  '$',
  '@',
  ':',
  '=',
  ',',
  '*',
  '&',
  '?',
  'a.',
  'a-',
  '-.',
  'a/',
  '../',
  'a:',
  'a@',
  'a,',
  'a ',
  ' \n',
  '${',
  '${a',
  '${a.',
  '{{',
  '{{a.',
  '}}',
  '://',
  'a://',
  'http://a',
  '1.',
  '1,',
  '*/1,',
  '*?',
  '**/',
  '[',
  '{',
  '(',
  'é',
  '\u0130',
]

/** As long as the field allows, with an end that most patterns do not match. */
export const repeated = (unit: string, length: number): string =>
  `${unit.repeat(Math.ceil(length / unit.length)).slice(0, Math.max(0, length - 1))}!`

const filled = (head: string, unit: (index: number) => string, tail: string, length: number): string => {
  const parts: string[] = []
  let size = head.length + tail.length
  for (let index = 0; ; index += 1) {
    const part = unit(index)
    size += part.length
    if (size > length) return head + parts.join('') + tail
    parts.push(part)
  }
}

/** Characters of a line that compose files may have. */
const LINE = 2_000

const nested = (open: string, close: string, length: number): string => {
  const depth = Math.floor(length / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}

/** On lines that are short enough to be read. */
const inLines = (text: string): string => text.match(new RegExp(`[^]{1,${LINE}}`, 'g'))?.join('\n') ?? ''

const service = (field: string) => `services:\n  a:\n    image: nginx\n${field}`

/** Documents of YAML, JSON, Dockerfiles and compose files, each of a length. */
export const HARMFUL_DOCUMENTS: readonly ((length: number) => string)[] = [
  (length) => nested('[', ']', length),
  (length) => inLines(nested('[', ']', length)),
  (length) => inLines(nested('{a: ', '}', length)),
  (length) => inLines(nested('{? ', '}', length)),
  (length) => filled('', (index) => `${' '.repeat(Math.min(index, LINE))}a:\n`, '', length),
  (length) => filled('', (index) => `${' '.repeat(Math.min(index, LINE))}-\n`, '', length),
  (length) => filled('', () => '- - - - - - - -\n', '', length),
  (length) => filled('a: &a [x]\nb:\n', () => '- *a\n', '', length),
  (length) => filled('a0: &a0 [x]\n', (index) => `a${index + 1}: &a${index + 1} [*a${index},*a${index}]\n`, '', length),
  (length) => filled('a: &a {b: c}\nd:\n', () => '  <<: *a\n', '', length),
  (length) => filled('', (index) => `&a${index} k${index}: v\n`, '', length),
  (length) => filled('', (index) => `k${index}:\n`, '', length),
  (length) => filled('', () => '# c\n', '', length),
  (length) => filled('a: "', () => '\\n\n', '"', length),
  (length) => filled('a: "', () => ' \n', '', length),
  (length) => filled("a: '", () => "''", '', length),
  (length) => filled('a: |\n', () => '\n', '', length),
  (length) => filled('a: >\n', () => ' b\n\n', '', length),
  (length) => filled('', () => '---\n', '', length),
  (length) => filled('', () => '? a\n', '', length),
  (length) => filled('', () => '!!a ', '', length),
  (length) => filled('', () => '%A\n', '', length),
  (length) => filled(service('    environment:\n'), (index) => `      A${index}: \${A\n`, '', length),
  (length) => filled(service('    environment:\n'), (index) => `      A${index}: http://a:a@\n`, '', length),
  (length) => filled(service('    ports:\n'), () => '      - "1:1:1"\n', '', length),
  (length) => filled(service('    volumes:\n'), () => '      - "a:/a"\n', '', length),
  (length) => filled(service('    depends_on:\n'), (index) => `      - b${index}\n`, '', length),
  (length) =>
    filled('services:\n', (index) => `  a${index}: {image: nginx, depends_on: [a${index + 1}]}\n`, '', length),
  (length) => filled('FROM a\n', () => 'RUN a \\\n', '', length),
]
