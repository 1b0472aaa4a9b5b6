/** Openings that lean on something said elsewhere: on the name above, on the sentence before. */
const LEANING =
  /^(its?|their|they|that|those|these|the same|when|where|who|how many|how often|by which|with which|in|(what|whether|why|how|all that) (its?|they|that|not|there)\b)\b/i

/** Within the first sentence, words that stand for something which was not named yet. */
const UNNAMED = /^(of|for|only|after|by|not known|with)\b[^,.:;]*\b(it|them)\b/i

/** Two words that say all there is to say. */
const SHORT_ENOUGH: ReadonlySet<string> = new Set(['Environment variables.'])

const MIN_WORDS = 3

/** What keeps a description from being understood where it is shown without its neighbours; null when nothing does. */
export function problemOf(description: string | null | undefined): string | null {
  const text = description?.trim() ?? ''
  if (text === '') return 'is missing'
  if (!/[.)`]$/.test(text)) return 'does not end with a full stop'
  if (LEANING.test(text)) return `begins with "${LEANING.exec(text)?.[0]}"`
  if (UNNAMED.test(text)) return 'names something that was not said'
  if (text.split(/\s+/).length < MIN_WORDS && !SHORT_ENOUGH.has(text)) return `has fewer than ${MIN_WORDS} words`
  return null
}
