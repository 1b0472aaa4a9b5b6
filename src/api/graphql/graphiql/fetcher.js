// Runs in the browser, in GraphiQL's page: queries use HTTP, subscriptions a WebSocket. Yoga's own fetcher cannot send
// the headers editor's token over a WebSocket.

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
  const push = (answer) => {
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
    else if (type === 'next') push(payload)
    else if (type === 'error') push({ errors: payload })
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

/** The operations of a document. Read once from left to right, because it is read while it is being edited. */
function operationsOf(text) {
  const operations = []
  let depth = 0
  let definition = null
  for (let at = 0; at < text.length; ) {
    const character = text[at]
    if (character === '#') at = endOf(text, at, /[\n\r]/g)
    else if (text.startsWith('"""', at)) at = endOf(text, at + 3, /(?<!\\)"""/g)
    else if (character === '"') at = endOfString(text, at + 1)
    else if (/\w/.test(character)) {
      const end = endOf(text, at, /\W/g, 0)
      if (depth === 0 && !definition) {
        definition = { kind: text.slice(at, end), name: null }
        operations.push(definition)
      } else if (depth === 0) definition.name ??= text.slice(at, end)
      at = end
    } else {
      if ('{(['.includes(character)) depth += 1
      if ('})]'.includes(character)) depth -= 1
      if (character === '{' && depth === 1 && !definition) operations.push({ kind: 'query', name: null })
      if (character === '}' && depth === 0) definition = null
      at += 1
    }
  }
  return operations.filter(({ kind }) => kind !== 'fragment')
}

/** Where the first match ends, or the text; with `skip` 0, where it begins. */
function endOf(text, from, pattern, skip = null) {
  pattern.lastIndex = from
  const found = pattern.exec(text)
  return found ? found.index + (skip ?? found[0].length) : text.length
}

function endOfString(text, from) {
  let at = from
  while (at < text.length && !'"\n\r'.includes(text[at])) at += text[at] === '\\' ? 2 : 1
  return at + 1
}

const kindOf = ({ query, operationName }) => {
  const operations = operationsOf(query)
  return (operations.find(({ name }) => name === operationName) ?? operations[0])?.kind
}

const KEPT = 'berth-headers'
const PLACEHOLDER = '<token>'

/** The headers to send, of those in the editor: without the placeholder `<token>`, because a session needs no token. */
const sentOf = (headers) => {
  const isPlaceholder = ([name, value]) => /^authorization$/i.test(name) && `${value}`.endsWith(PLACEHOLDER)
  return Object.fromEntries(Object.entries(headers).filter((header) => !isPlaceholder(header)))
}

/**
 * GraphiQL's options in the browser. What the headers editor holds is kept for the session of the tab: it is there after
 * a reload, no other tab has it, and it is gone with the tab.
 */
globalThis.berthOptions = (options) => ({
  ...options,
  headers: sessionStorage.getItem(KEPT) ?? JSON.stringify({ Authorization: PLACEHOLDER }, null, 2),
  fetcher(params, { headers = {} } = {}) {
    sessionStorage.setItem(KEPT, JSON.stringify(headers, null, 2))
    const sent = sentOf(headers)
    return kindOf(params) === 'subscription' ? subscribe(params, sent) : post(params, sent)
  },
})
