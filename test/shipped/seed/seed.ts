import { readFileSync } from 'node:fs'

/** One row of one of the seed's tables, or one of its numbered rules, or a sentence quoted from it. */
export interface SeedRow {
  section: string
  /** Identifies the row: `2.2 appId`, `3 running environment → POST stop`, `5 rule 1`. */
  key: string
  cells: string[]
}

const text = readFileSync(new URL('seed.md', import.meta.url), 'utf8')

/** Every row and rule of the seed, in its order: a row that the walk does not know is an error. */
export function readSeed(): SeedRow[] {
  const rows: SeedRow[] = []
  let section = ''
  let tables = 0
  let header: string[] | null = null
  for (const line of text.split('\n')) {
    const heading = /^#{2,3} (\d(?:\.\d)?)/.exec(line)?.[1]
    if (heading) [section, tables] = [heading, 0]
    const rule = /^(\d+)\. (.+)/.exec(line)
    if (rule) rows.push({ section, key: `${section} rule ${rule[1]}`, cells: [rule[2] ?? ''] })
    const cells = cellsOf(line)
    if (!cells) header = null
    else if (!header) [header, tables] = [cells, tables + 1]
    else if (!/^-+$/.test(cells[0] ?? ''))
      rows.push({ section, key: `${section} ${nameOf(header, cells, tables)}`, cells })
  }
  return rows
}

/** A sentence of the seed outside of its tables. Throws when the seed does not contain it. */
export function quote(section: string, sentence: string): SeedRow {
  if (!text.includes(sentence)) throw new Error(`The seed does not say: ${sentence}`)
  return { section, key: `${section} “${sentence}”`, cells: [sentence] }
}

const cellsOf = (line: string): string[] | null =>
  line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : null

function nameOf(header: string[], cells: string[], table: number): string {
  const [first = '', second = ''] = cells
  if (header[0] === 'Method') return `${first} ${second}`
  if (header[0] === 'From state') return `${first} → ${second}`
  if (header[0] === 'Status') return `table ${table}: ${first}`
  return first
}
