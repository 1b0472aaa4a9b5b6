// Runs in the browser, on /invitation. The secret is behind the #, which browsers keep to themselves.
import { call, onPress } from './call.js'

const secret = location.hash.slice(1)
const accept = '/api/public/v1/account/invitation/accept'
const home = document.querySelector('[data-home]')?.dataset.home ?? '/'

onPress(document.querySelector('#join'), async () => {
  const answer = await call('POST', accept, {}, { authorization: secret })
  await call('POST', '/sign-in/token', { token: answer.secret })
  const shown = document.querySelector('#joined')
  shown.querySelector('code').textContent = answer.secret
  shown.hidden = false
  document.querySelector('#choices').hidden = true
  // It works once, and the history need not keep it.
  history.replaceState(null, '', location.pathname)
})

onPress(document.querySelector('#add'), async () => {
  await call('POST', accept, { secret })
  location.assign(home)
})
