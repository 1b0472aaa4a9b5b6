const MAX_LENGTH = 250

/** What `git check-ref-format` refuses in a name anywhere: control characters, a space, and the signs of its expressions. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: git's own rule is about them.
const REFUSED_CHARACTERS = /[\u0000-\u0020\u007f~^:?*[\\]/
const REFUSED_SEQUENCES = /\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[./]$|^[./]/

export const BRANCH_NAME_RULE = `must be the name of a git branch (git check-ref-format): up to ${MAX_LENGTH} characters, without spaces, control characters, ~ ^ : ? * [ and \\, without .. // /. @{ and .lock at the end of a part, not beginning with - . or /, and not ending with . or /`

/**
 * A name that git takes for a branch: the rule of `git check-ref-format --branch`, which also keeps it from being an option.
 * Linear: it is asked of every text that a host or a caller sends.
 */
export const isBranchName = (text: string): boolean =>
  text !== '' &&
  text.length <= MAX_LENGTH &&
  // Half a character has no bytes of its own: git would be asked for another name.
  text.isWellFormed() &&
  text !== '@' &&
  text !== 'HEAD' &&
  !text.startsWith('-') &&
  !REFUSED_CHARACTERS.test(text) &&
  !REFUSED_SEQUENCES.test(text)
