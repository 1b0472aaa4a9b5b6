import { distance } from 'fastest-levenshtein'

/** Longer texts are no mistyped names, and comparing them would cost time. */
const MAX_LENGTH = 100
const MAX_NAMES = 2
const MAX_EDITS = 3
/** Shorter parts are in too many names. */
const MIN_PART_LENGTH = 4

/** The edits that a slip takes, two letters that changed places are two; a single letter is no slip of another one. */
const slipOf = (sent: string): number => Math.min(MAX_EDITS, Math.floor(sent.length * 0.4) + 1, sent.length - 1)

/** The known names that a mistyped one, or a part of one, may stand for, nearest first. */
export function nearNames(sent: string, known: readonly string[]): string[] {
  if (sent.length > MAX_LENGTH) return []
  const plain = sent.toLowerCase()
  const near = known
    .map((name) => ({ name, edits: editsBetween(plain, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= slipOf(plain))
    .sort((one, other) => one.edits - other.edits || one.name.localeCompare(other.name))
  const nearest = near[0]?.edits ?? 0
  return near
    .filter(({ edits }) => edits <= nearest + 1)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

const editsBetween = (sent: string, name: string): number =>
  sent.length >= MIN_PART_LENGTH && name.includes(sent)
    ? Math.min(slipOf(sent), distance(sent, name))
    : distance(sent, name)

/** `; did you mean port?`, or nothing where no name is near. */
export function didYouMean(sent: string, known: readonly string[]): string {
  const near = nearNames(sent, known)
  return near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
}
