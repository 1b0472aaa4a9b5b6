/**
 * Characters that a reader cannot see, or that change how others are shown: controls, marks of direction, invisible ones.
 * Emoji are left whole, which are joined by such; tab and line end are none of them.
 */
const UNSEEN = /\p{RGI_Emoji}|(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gv

/** The text with a sign in place of each of them, such as `␛` or `⟨202E⟩`: what a tenant wrote cannot pose as another text. */
export const visibleText = (text: string): string => text.replace(UNSEEN, signOf)

function signOf(found: string): string {
  const code = found.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '␡'
  if (/^\p{RGI_Emoji}$/v.test(found)) return found
  return `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
