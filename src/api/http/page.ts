import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { answer, type ServerContext } from './context.ts'

interface Page {
  title: string
  /** HTML; whatever comes from outside is escaped already. */
  body: string
  /** Path of its script on this server. It may call this server only. */
  script?: string
  /** Where its forms lead, as CSP names it; also where the answer to one redirects. Nowhere when omitted. */
  formAction?: string
  status?: number
}

/** The logo, a berth in a port: two bollards and the ship's line between them. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b74"/>' +
  '<path d="M8 9v14M24 9v14M8 12c4 8 12 8 16 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'

export const ICON_ADDRESS = `data:image/svg+xml,${encodeURIComponent(ICON)}`

/** The console has the same file: all pages of Berth are one product. */
const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')

/** The look of pages that need no script to be read. */
const STYLE = `
${TOKENS}
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.6 var(--sans); background: var(--page); color: var(--text) }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem }
a { color: var(--accent) }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25 }
h2 { margin: 0 0 .75rem; font-size: 1.1rem; line-height: 1.3 }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
code, pre { font: .875em/1.6 var(--mono) }
code { padding: .1em .3em; border-radius: .25rem; background: var(--code); overflow-wrap: anywhere }
pre { margin: 0 0 1rem; padding: .75rem 1rem; border-radius: .5rem; border: 1px solid var(--line);
  background: var(--code); overflow-x: auto }
pre code { padding: 0; background: none; overflow-wrap: normal; font-size: 1em }
td:first-child code { white-space: nowrap }
header { display: flex; gap: 1rem; align-items: flex-start; margin-bottom: 1.75rem }
header img { width: 3rem; height: 3rem; flex: none }
header p { margin: 0; color: var(--soft) }
nav { margin: -.75rem 0 1.75rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
section { margin: 0 0 1rem; padding: 1.5rem 1.75rem; border-radius: .75rem; background: var(--card);
  border: 1px solid var(--line) }
section > :last-child { margin-bottom: 0 }
ol { margin: 0; padding-left: 1.25rem }
ol > li { padding-left: .25rem }
ol > li:last-child > :last-child { margin-bottom: 0 }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; margin: 0; padding: 0;
  list-style: none }
.links a { display: block; height: 100%; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: .5rem;
  color: inherit; text-decoration: none }
.links a:hover, .links a:focus-visible { border-color: var(--accent) }
.links b { display: block; color: var(--accent) }
.links span { color: var(--soft); font-size: .9rem; line-height: 1.45; display: block }
table { width: 100%; border-collapse: collapse; font-size: .95rem }
th, td { padding: .6rem 1rem .6rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
tr:first-child th, tr:first-child td { border-top: 0 }
thead th { color: var(--soft); font-weight: 500; font-size: .85rem }
tr:target { background: color-mix(in srgb, var(--accent) 14%, transparent) }
.good, .bad { font-weight: 600 }
.good { color: var(--good) }
.bad { color: var(--bad) }
form { display: grid; gap: .9rem; max-width: 26rem }
label { display: grid; gap: .25rem; font-weight: 500 }
label small, .hint { color: var(--soft); font-weight: 400; font-size: .85rem; line-height: 1.45 }
input { width: 100%; padding: .55rem .7rem; border: 1px solid var(--edge); border-radius: .4rem; font: inherit;
  background: var(--page); color: inherit }
button, .button { justify-self: start; padding: .55rem 1.1rem; border: 1px solid var(--accent); border-radius: .4rem;
  font: inherit; font-weight: 600; background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none;
  display: inline-block; white-space: nowrap }
td:last-child > button { float: right }
button.quiet { background: none; color: var(--accent); font-weight: 500 }
button:disabled { opacity: .6; cursor: default }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
summary { cursor: pointer; font-weight: 600 }
details > form, button + form { margin-top: 1rem }
form img { background: #fff; padding: .5rem; border-radius: .4rem }
[role=status] { margin: 0 }
[role=status]:empty, [hidden] { display: none }
footer { margin-top: 1.5rem; font: .8rem/1.5 var(--mono); color: var(--soft); overflow-wrap: anywhere }
@media (max-width: 36rem) {
  main { padding: 1.25rem .75rem 2rem }
  section { padding: 1.15rem 1rem }
  thead { display: none }
  tr { display: block; padding: .75rem 0; border-top: 1px solid var(--line) }
  tbody tr:first-child { border-top: 0; padding-top: 0 }
  th, td { display: block; padding: 0 0 .15rem; border: 0 }
  td:last-child > button { float: none }
}
`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** No style but the page's own, no script but this server's, if it has one, and no form that leads elsewhere. */
function policyOf({ script, formAction = "'none'" }: Page): string {
  const own = script === undefined ? '' : "script-src 'self'; connect-src 'self'; "
  return `default-src 'none'; ${own}style-src ${hashOf(STYLE)}; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

/** `code` in backticks, as descriptions are written. */
export const withCode = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** Answers with one of our own pages. */
export function answerPage(c: ServerContext, page: Page): Response {
  const { html, headers } = renderPage(page)
  return answer(c, page.status ?? 200, html, headers)
}

/** A page needs nothing from elsewhere: no font, no script, no image. */
export function renderPage(page: Page) {
  const { title, body, script } = page
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON_ADDRESS}">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>${script === undefined ? '' : `\n<script type="module" src="${script}"></script>`}
</body>
</html>
`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policyOf(page),
    Vary: 'Accept',
  }
  return { html, headers }
}
