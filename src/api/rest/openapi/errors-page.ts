import type { ErrorCode } from '../../../domain/errors.ts'
import { FAILURE_REASONS } from '../../../domain/failure-reasons.ts'
import { REASONS } from '../../../domain/reasons.ts'
import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'
import { escaped, ICON_ADDRESS, withCode } from '../../http/page.ts'

type Meanings = Readonly<Record<string, string>>

const reasonsByCode: Readonly<Record<string, Meanings>> = REASONS

const codes = Object.entries(ERROR_CATALOGUE) as [ErrorCode, (typeof ERROR_CATALOGUE)[ErrorCode]][]

/** Every code, every reason below its code, and why operations fail. */
export const errorsPage = (): string => `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Error codes</h1>
<p>The same in both APIs: REST answers <code>code</code> and <code>reason</code>, GraphQL <code>extensions</code> with
both.</p></div></header>
<nav><a href="/">Berth</a> <a href="/docs">REST reference</a> <a href="#reasons">Reasons</a> <a href="#failures">Failed
operations</a></nav>
<section><h2>Codes</h2>
<table><thead><tr><th>Code</th><th>HTTP status</th><th>Meaning</th></tr></thead><tbody>
${codes.map(codeRow).join('\n')}
</tbody></table></section>
<h2 id="reasons">Reasons</h2>
<p>A reason says more than its code. Not every refusal has one: fields that break a rule are in <code>errors</code>.</p>
${codes.map(reasonSection).join('')}
<section id="failures"><h2>Failed operations</h2>
<p>An operation that was accepted may fail later. Its record, and that of its version, has one of these reasons and a
message with the details.</p>
${reasonTable(FAILURE_REASONS, 'failure')}</section>`

const codeRow = ([code, { status, meaning }]: (typeof codes)[number]) =>
  `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${withCode(meaning)}</td></tr>`

function reasonSection([code]: (typeof codes)[number]): string {
  const meanings = reasonsByCode[code]
  return meanings ? `<section><h2><code>${code}</code></h2>${reasonTable(meanings, code)}</section>` : ''
}

const reasonTable = (meanings: Meanings, within: string) =>
  `<table><thead><tr><th>Reason</th><th>Meaning</th></tr></thead><tbody>
${Object.entries(meanings)
  .map(
    ([reason, meaning]) =>
      `<tr id="${within}.${escaped(reason)}"><td><code>${reason}</code></td><td>${withCode(meaning)}</td></tr>`,
  )
  .join('\n')}
</tbody></table>`
