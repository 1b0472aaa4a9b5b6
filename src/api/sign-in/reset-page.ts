import type { ServerContext } from '../http/context.ts'
import { answerPage, ICON_ADDRESS } from '../http/page.ts'
import { scriptPath } from './scripts.ts'

/** Where a link to set a password leads. Its secret is behind the #, which browsers keep to themselves. */
export function answerResetPage(c: ServerContext): Response {
  const body = `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Set your password</h1>
<p>The link works once. All your sessions end.</p></div></header>
<section><form id="reset">
<label>New password <input name="password" type="password" required minlength="12" maxlength="200"
autocomplete="new-password"><small>12 characters at least. Several words that do not belong together are good.</small></label>
<p role="status"></p>
<button>Set the password</button>
</form></section>
<p><a href="/sign-in">Sign in</a></p>`
  return answerPage(c, { title: 'Set your password for Berth', body, script: scriptPath('reset') })
}
