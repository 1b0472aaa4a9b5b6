import { useState } from 'react'
import { MASK } from '../../../../src/domain/mask.ts'
import { formatDotenv, isDotenvName, parseDotenv, rewriteDotenv } from '../../../../text/dotenv.ts'
import type { Variable } from '../../../../text/variable-changes.ts'
import { looksSecret } from '../../environment/looks-secret.ts'
import { keep, readKept, removeDraft } from '../../ui/draft.ts'

/** A variable as it is edited. */
export interface Row extends Variable {
  /** Stays with the row while its name changes. */
  key: string
  /** A secret whose new value was not kept over a reload. */
  isLost?: boolean
}

export interface VariablesDraft {
  /** What the API had when the first change was made, and its version. */
  base: Variable[]
  baseVersion: number
  rows: Row[]
  /** As it is written in the text view; null until that was opened. */
  text: string | null
}

export interface Read {
  version: number
  variables: readonly Variable[]
}

const plain = ({ name, value, type, isSecret }: Variable): Variable => ({ name, value, type, isSecret })

let nextKey = 0
export const newKey = (): string => `new-${Date.now().toString(36)}-${nextKey++}`

export const rowsOf = (variables: readonly Variable[]): Row[] =>
  variables.map((variable) => ({ ...plain(variable), key: variable.name }))

export const variablesOf = (rows: readonly Row[]): Variable[] => rows.map(plain)

const draftOf = ({ version, variables }: Read): VariablesDraft => ({
  base: variables.map(plain),
  baseVersion: version,
  rows: rowsOf(variables),
  text: null,
})

/** Over a change of screen, secrets are kept too: in memory alone. */
const held = new Map<string, VariablesDraft>()

const keyOf = (env: string) => `variables.${env}`

function load(env: string): VariablesDraft | null {
  return held.get(env) ?? readKept<VariablesDraft>(keyOf(env))
}

function store(env: string, draft: VariablesDraft): void {
  held.set(env, draft)
  const kept = withoutSecrets(draft, readKept<VariablesDraft>(keyOf(env))?.text ?? null)
  keep(keyOf(env), kept)
}

/** As it may stand in the tab’s storage. A text that cannot be read, and may hold a new secret, stays as it was before. */
export function withoutSecrets(draft: VariablesDraft, textBefore: string | null): VariablesDraft {
  const isNew = ({ isSecret, value }: Row) => isSecret && value !== MASK
  const secrets = draft.rows.filter(isNew)
  const rows = draft.rows.map((row) => (isNew(row) ? { ...row, value: '', isLost: true } : row))
  if (draft.text === null || secrets.length === 0) return { ...draft, rows }
  const { entries, problems } = parseDotenv(draft.text)
  if (problems.length > 0) return { ...draft, rows, text: textBefore }
  const names = new Set(secrets.map(({ name }) => name))
  return {
    ...draft,
    rows,
    text: rewriteDotenv(
      draft.text,
      entries.map(({ name, value }) => ({ name, value: names.has(name) ? '' : value })),
    ),
  }
}

/** The draft of an environment’s variables: none until something is touched, and then it stands still whatever comes in. */
export function useVariablesDraft(env: string, read: Read) {
  const [draft, setDraft] = useState(() => load(env))
  const current = draft ?? draftOf(read)
  const become = (next: VariablesDraft) => {
    setDraft(next)
    store(env, next)
  }
  return {
    ...current,
    /** Whether it stands still: since something was touched. */
    isHeld: draft !== null,
    /** From now on, what comes in changes nothing that is being edited. */
    hold: () => {
      if (!draft) become(current)
    },
    changeRows: (rows: Row[]) =>
      become({ ...current, rows, text: current.text === null ? null : rewriteDotenv(current.text, rows) }),
    changeText: (text: string) => become({ ...current, text, rows: rowsFromText(text, current.rows) }),
    /** What the rows are in the text view, with what is written around them. */
    openText: () => become({ ...current, text: textOf(current) }),
    /** Goes on from what the API has now. */
    rebase: (onto: Read, variables: readonly Variable[]) =>
      become({ ...draftOf(onto), rows: takeOver(current.rows, variables), text: null }),
    discard: () => {
      held.delete(env)
      removeDraft(keyOf(env))
      setDraft(null)
    },
  }
}

export type Editing = ReturnType<typeof useVariablesDraft>

export const textOf = ({ text, rows }: Pick<VariablesDraft, 'text' | 'rows'>): string =>
  text === null ? formatDotenv(rows) : rewriteDotenv(text, rows)

/** The variables of a text; what a file cannot hold stays beside it. As before, where the text cannot be read. */
export function rowsFromText(text: string, before: readonly Row[]): Row[] {
  const { entries, problems } = parseDotenv(text)
  if (problems.length > 0) return [...before]
  const others = before.filter(({ name }) => !isDotenvName(name))
  return [...merged(entries, before), ...others]
}

/** The rows with those of a file: of the same name changed, others added. */
export function mergeFile(rows: readonly Row[], file: readonly { name: string; value: string }[]): Row[] {
  const names = new Set(file.map(({ name }) => name))
  const changed = merged(file, rows)
  const byName = new Map(changed.map((row) => [row.name, row]))
  const stayed = rows.map((row) => byName.get(row.name) ?? row)
  const known = new Set(rows.map(({ name }) => name))
  return [...changed.filter(({ name }) => !known.has(name) && names.has(name)), ...stayed]
}

/** The rows of a file alone; what they are beside their value stays, where they had it. */
export const replaceByFile = (rows: readonly Row[], file: readonly { name: string; value: string }[]): Row[] =>
  merged(file, rows)

const merged = (file: readonly { name: string; value: string }[], before: readonly Row[]): Row[] => {
  const rows = new Map(before.map((row) => [row.name, row]))
  return file.map(({ name, value }) => {
    const row = rows.get(name)
    if (row) return row.value === value ? row : { ...plain(row), key: row.key, value }
    return { name, value, type: 'DEPLOY' as const, isSecret: looksSecret(name, value), key: newKey() }
  })
}

function takeOver(rows: readonly Row[], variables: readonly Variable[]): Row[] {
  const keys = new Map(rows.map(({ name, key, isLost }) => [name, { key, ...(isLost ? { isLost } : {}) }]))
  return variables.map((variable) => ({ ...plain(variable), ...(keys.get(variable.name) ?? { key: newKey() }) }))
}
