export interface Finding {
  /** What was being done, and the number of the case in it. */
  phase: string
  index?: number | undefined
  what: string
  /** How to see it again. */
  replay?: string | undefined
}

const SHOWN = 40

/** Collects what is wrong, one of each kind: a thousand of one sort hide the other. */
export function createFindings() {
  const kinds = new Map<string, { finding: Finding; times: number }>()
  return {
    add(finding: Finding) {
      const kind = `${finding.phase}: ${finding.what}`
      const known = kinds.get(kind)
      if (known) known.times += 1
      else kinds.set(kind, { finding, times: 1 })
    },
    get count() {
      return kinds.size
    },
    report(): string {
      const lines = [...kinds.values()].slice(0, SHOWN).map(({ finding: { phase, index, what, replay }, times }) => {
        const at = index === undefined ? phase : `${phase} #${index}`
        return `✗ ${at}: ${what}${times > 1 ? ` (${times} times)` : ''}${replay ? `\n    ${replay}` : ''}`
      })
      return lines.join('\n')
    },
  }
}

export type Findings = ReturnType<typeof createFindings>
