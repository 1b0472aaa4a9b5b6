// Runs in the browser, on /reset-password.
import { call, onSubmit } from './call.js'

onSubmit(document.querySelector('#reset'), async ({ password }) => {
  const { message } = await call('POST', '/reset-password', { secret: location.hash.slice(1), password })
  // It works once, and the history need not keep it.
  history.replaceState(null, '', location.pathname)
  return message
})
