const MAX_LENGTH = 250
const CHARACTERS = /^[A-Za-z0-9_][A-Za-z0-9_./+#@=-]*$/
const SEQUENCES = /\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[./]$/

export const BRANCH_NAME_RULE = `must be the name of a git branch: up to ${MAX_LENGTH} letters, digits and _ . / + # @ = -, beginning with a letter, a digit or _, without .. // /. @{ and .lock, and not ending with . or /`

/** A name that git takes for a branch, and for no option, path or expression. */
export const isBranchName = (text: string): boolean =>
  text.length <= MAX_LENGTH && CHARACTERS.test(text) && !SEQUENCES.test(text)
