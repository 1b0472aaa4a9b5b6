/**
 * Puts a LABEL below every FROM. Layers and containers of a build inherit it, so that whatever a build that was killed
 * leaves on the engine can be told from everything else there; and no environment builds on another one's cached layers.
 */
export function labelStages(dockerfile: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`)
  const label = `LABEL ${pairs.join(' ')}`
  const lines = dockerfile.replaceAll('\r\n', '\n').split('\n')
  const escapeMark = escapeOf(lines)
  const labelled: string[] = []
  let isContinued = false
  let isFrom = false
  let heredocs: string[] = []
  for (const line of lines) {
    labelled.push(line)
    const [heredoc] = heredocs
    if (heredoc !== undefined) {
      if (line.trim() === heredoc) heredocs = heredocs.slice(1)
      continue
    }
    const isComment = /^\s*(#|$)/.test(line)
    // Within an instruction that goes on, comments and empty lines do not end it.
    if (isContinued && isComment) continue
    if (!isContinued) isFrom = /^\s*FROM\s/i.test(line)
    isContinued = !isComment && line.trimEnd().endsWith(escapeMark)
    if (!isFrom) heredocs = heredocsOf(line)
    if (isFrom && !isContinued) labelled.push(label)
  }
  return labelled.join('\n')
}

/** The `escape` directive, which only counts before anything else. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    const directive = /^\s*#\s*([a-z]+)\s*=\s*(\S+)\s*$/i.exec(line)
    if (!directive) return '\\'
    if (directive[1]?.toLowerCase() === 'escape') return directive[2] === '`' ? '`' : '\\'
  }
  return '\\'
}

/** Markers of the texts that follow a RUN or COPY; only BuildKit reads those. */
const heredocsOf = (line: string): string[] =>
  /^\s*(RUN|COPY|ADD)\s/i.test(line)
    ? [...line.matchAll(/<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)\1/g)].map((match) => match[2] ?? '')
    : []
