// Runs in the browser, on /account-security.
import { call, onPress, onSubmit } from './call.js'

onSubmit(document.querySelector('#password'), async ({ password, currentPassword }) => {
  await call('POST', '/account-security/password', { password, currentPassword })
  location.reload()
})

onSubmit(document.querySelector('#passkey'), async ({ name }) => {
  if (!globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON) throw new Error('This browser has no passkeys.')
  const asked = await call('POST', '/account-security/passkey/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked)
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null)
  if (!credential) throw new Error('No passkey was made.')
  await call('POST', '/account-security/passkey', { response: credential.toJSON(), name })
  location.reload()
})

for (const button of document.querySelectorAll('[data-remove-passkey]')) {
  onPress(button, async () => {
    await call('POST', '/account-security/passkey/remove', { passkeyId: button.dataset.removePasskey })
    location.reload()
  })
}

const offered = document.querySelector('#confirm-codes')
onPress(document.querySelector('#offer-codes'), async () => {
  const { secret, uri, qrCode } = await call('POST', '/account-security/codes')
  offered.querySelector('img').src = qrCode
  offered.querySelector('a').href = uri
  offered.querySelector('code').textContent = secret.match(/.{4}/g).join(' ')
  offered.hidden = false
})
onSubmit(offered, async ({ code }) => {
  const { recoveryCodes } = await call('POST', '/account-security/codes/confirm', { code })
  document.querySelector('#recovery-codes pre').textContent = recoveryCodes.join('\n')
  document.querySelector('#recovery-codes').hidden = false
  offered.hidden = true
  document.querySelector('#offer-codes').hidden = true
})
onPress(document.querySelector('#remove-codes'), async () => {
  await call('POST', '/account-security/codes/remove')
  location.reload()
})

onPress(document.querySelector('#connect-company'), async () => {
  const { location: there } = await call('POST', '/account-security/company')
  location.assign(there)
})

onSubmit(document.querySelector('#reset-link'), async (fields) => {
  const { resetUrl } = await call('POST', '/account-security/reset-link', fields)
  return resetUrl
})

onPress(document.querySelector('#sign-out'), async () => {
  await call('POST', '/sign-out')
  location.assign('/sign-in')
})

for (const button of document.querySelectorAll('[data-end-session]')) {
  onPress(button, async () => {
    await call('POST', '/account-security/session/end', { sessionId: button.dataset.endSession })
    location.reload()
  })
}
