// Runs in the browser, inside GraphiQL's page: queries use HTTP, subscriptions a WebSocket.

const PROTOCOL = 'graphql-transport-ws'

function post(params, headers) {
  const body = JSON.stringify(params)
  return fetch(location.pathname, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  }).then((response) => response.json())
}

/** Answers as they arrive, in the shape that GraphiQL reads: an async iterator whose `return` unsubscribes. */
function subscribe(params, headers) {
  const url = location.origin.replace(/^http/, 'ws') + location.pathname
  const socket = new WebSocket(url, PROTOCOL)
  const answers = []
  let wake = () => {}
  let ending = null
  const tell = (answer) => {
    answers.push(answer)
    wake()
  }
  const end = (message) => {
    ending ??= { message }
    wake()
  }
  socket.onopen = () => socket.send(JSON.stringify({ type: 'connection_init', payload: headers }))
  socket.onclose = ({ code, reason }) => end(code === 1000 ? null : `The connection was closed: ${code} ${reason}`)
  socket.onmessage = ({ data }) => {
    const { type, payload } = JSON.parse(data)
    if (type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: params }))
    else if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }))
    else if (type === 'next') tell(payload)
    else if (type === 'error') tell({ errors: payload })
    if (type === 'complete' || type === 'error') socket.close(1000)
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      while (answers.length === 0 && !ending) {
        await new Promise((resolve) => {
          wake = resolve
        })
      }
      if (answers.length > 0) return { done: false, value: answers.shift() }
      const { message } = ending
      ending = { message: null }
      return message ? { done: false, value: { errors: [{ message }] } } : { done: true, value: undefined }
    },
    async return() {
      end(null)
      socket.close(1000)
      return { done: true, value: undefined }
    },
  }
}

const kindOf = ({ query, operationName }) => {
  const named = operationName ? new RegExp(`\\bsubscription\\s+${operationName}\\b`) : /^\s*(#.*\s*)*subscription\b/
  return named.test(query) ? 'subscription' : 'other'
}

globalThis.berthFetcher = (params, { headers } = {}) =>
  kindOf(params) === 'subscription' ? subscribe(params, headers ?? {}) : post(params, headers ?? {})
