// Runs in the browser: how the scripts of all pages call the API and show the result.

/** The answer's body. Throws an Error whose message is for the reader. */
export async function call(method, path, body, headers = {}) {
  const options = { method, headers: { accept: 'application/json', ...headers }, credentials: 'same-origin' }
  if (method !== 'GET') {
    options.headers['content-type'] = 'application/json'
    options.body = JSON.stringify(body ?? {})
  }
  const response = await fetch(path, options).catch(() => null)
  if (!response) throw new Error('Berth does not answer. Is it running?')
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw Object.assign(new Error(answer.message ?? `Berth answered ${response.status}`), answer)
  return answer
}

/** Runs `work` when the form is sent, once at a time, and shows why it failed. */
export function onSubmit(form, work) {
  form?.addEventListener('submit', async (event) => {
    event.preventDefault()
    await attempt(form, () => work(Object.fromEntries(new FormData(form))))
  })
}

/** The same when a button is pressed; its message is in the element around it. */
export function onPress(button, work) {
  button?.addEventListener('click', () => attempt(button.closest('form, section, div'), work, button))
}

async function attempt(place, work, button = place.querySelector('button')) {
  const status = place.querySelector('[role=status]')
  if (button.disabled) return
  button.disabled = true
  say(status, '')
  try {
    const said = await work()
    if (typeof said === 'string') say(status, said, 'good')
  } catch (error) {
    say(status, error.message, 'bad')
  } finally {
    button.disabled = false
  }
}

function say(status, text, mood = '') {
  if (!status) return
  status.textContent = text
  status.className = mood
}

/** Where to go on: only within this server. */
export function next() {
  const home = document.querySelector('[data-home]')?.dataset.home ?? '/'
  const wanted = new URLSearchParams(location.search).get('next') ?? home
  const url = new URL(wanted, location.origin)
  return url.origin === location.origin ? url.href : '/'
}
