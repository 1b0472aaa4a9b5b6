import type { KoaContextWithOIDC } from 'oidc-provider'
import { OAUTH_PATHS } from '../http/oauth-addresses.ts'
import { escaped, ICON_ADDRESS, renderPage } from '../http/page.ts'

const header = (title: string, about: string) =>
  `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>${title}</h1><p>${about}</p></div></header>`

/** A page of our own as the library's answer. */
function show(ctx: KoaContextWithOIDC, title: string, body: string): void {
  const { html, headers } = renderPage({ title, body, formAction: "'self'" })
  ctx.set(headers)
  ctx.body = html
}

/** The library's own protection against forged requests, which it checks itself. */
function secretOf(ctx: KoaContextWithOIDC): string {
  const { state } = ctx.oidc.session as { state?: { secret?: string } }
  return escaped(state?.secret ?? '')
}

const formOf = (ctx: KoaContextWithOIDC, fields: string) =>
  `<form method="post" action="${OAUTH_PATHS.device}"><input type="hidden" name="xsrf" value="${secretOf(ctx)}">${fields}</form>`

/** Where a person enters the code that a program shows. `given` is one from the address of the page. */
export function showCodeInput(ctx: KoaContextWithOIDC, given: string, problem: string | null): void {
  const field = `<input name="user_code" value="${escaped(given)}" autocomplete="off" autofocus required aria-label="Code">`
  const about = problem === null ? '' : `<p class="bad">${escaped(problem)}</p>`
  const body = `${header('Connect a device', 'Enter the code that the program shows you.')}<section>${about}
<p>Enter only a code that a program of your own shows you now. If you enter a code that you were sent, its sender gets access to your accounts.</p>
${formOf(ctx, `${field}<button>Continue</button>`)}</section>`
  show(ctx, 'Connect a device', body)
}

export function showCodeConfirmation(ctx: KoaContextWithOIDC, client: string, code: string): void {
  const hidden = `<input type="hidden" name="user_code" value="${escaped(code)}"><input type="hidden" name="confirm" value="yes">`
  const buttons = `<button>It shows this code</button><button name="abort" value="yes" class="quiet">It does not</button>`
  const body = `${header('Connect a device', `The program calls itself “${escaped(client)}”.`)}<section>
<p>It must show this code now:</p><p><code>${escaped(code)}</code></p>${formOf(ctx, hidden + buttons)}</section>`
  show(ctx, 'Connect a device', body)
}

export function showConnected(ctx: KoaContextWithOIDC): void {
  show(ctx, 'Connected', `${header('Connected', 'The program goes on by itself. You can close this page.')}`)
}

/** What went wrong before there was somewhere to send the browser back to. */
export function showProblem(ctx: KoaContextWithOIDC, code: string, description: string): void {
  const about = `<p>${escaped(description || 'The request cannot be answered.')}</p><p><code>${escaped(code)}</code></p>`
  show(
    ctx,
    'Not authorised',
    `${header('Not authorised', 'The application sent a request that Berth refuses.')}<section>${about}</section>`,
  )
}
