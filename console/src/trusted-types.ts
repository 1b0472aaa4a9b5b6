interface Policies {
  createPolicy: (name: string, rules: { createHTML: (text: string) => string }) => unknown
}
// The page requires trusted types. React Aria empties its live region with an empty text; no other may become HTML.
;(globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('default', {
  createHTML(text) {
    if (text !== '') throw new TypeError('The console makes no HTML of text')
    return text
  },
})
