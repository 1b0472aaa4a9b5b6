// Runs in the browser, on /sign-in.
import { call, next, onPress, onSubmit } from './call.js'

const byCompany = document.querySelector('#by-company')
if (byCompany) byCompany.search = location.search

const byPasskey = document.querySelector('#by-passkey')
byPasskey.hidden = !globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON
onPress(byPasskey.querySelector('button'), async () => {
  const asked = await call('POST', '/sign-in/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked)
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
  if (!credential) throw new Error('No passkey was used.')
  await call('POST', '/sign-in/passkey', { response: credential.toJSON() })
  location.assign(next())
})

onSubmit(document.querySelector('#by-password'), async (fields) => {
  const { signedIn, challenge } = await call('POST', '/sign-in/password', fields)
  if (signedIn) location.assign(next())
  else askForCode(challenge)
})

const byCode = document.querySelector('#by-code')
let challenge = ''

/** In place of everything else. */
function askForCode(given) {
  challenge = given
  for (const section of document.querySelectorAll('section')) section.hidden = !section.contains(byCode)
  byCode.querySelector('input').focus()
}

onSubmit(byCode, async ({ code }) => {
  await call('POST', '/sign-in/code', { challenge, code })
  location.assign(next())
})

onSubmit(document.querySelector('#forgotten'), async (fields) => {
  const { message } = await call('POST', '/sign-in/reset-link', fields)
  return message
})

onSubmit(document.querySelector('#by-token'), async ({ token }) => {
  await call('POST', '/sign-in/token', { token: token.trim() })
  location.assign(next())
})

onPress(document.querySelector('#sign-out'), async () => {
  await call('POST', '/sign-out')
  location.reload()
})
