interface Refusal {
  code?: string
  message?: string
}

const WHAT_TO_DO = 'Start that PostgreSQL or correct DATABASE_URL. Without DATABASE_URL, Berth brings its own.'

/** What is wrong with the server that DATABASE_URL names, and what to do; null for other errors. Shows no password. */
export function explainRefusal(error: unknown, databaseUrl: string): Error | null {
  const { code, message = '' } = error as Refusal
  const fault = faultOf(code ?? '', message, new URL(databaseUrl))
  return fault ? new Error(`DATABASE_URL (${shown(databaseUrl)}): ${fault}`, { cause: error }) : null
}

function faultOf(code: string, message: string, url: URL): string | null {
  const server = `${url.hostname || 'localhost'}:${url.port || 5432}`
  const name = decodeURIComponent(url.pathname.slice(1))
  const user = decodeURIComponent(url.username)
  if (/timeout expired|timed? ?out/i.test(message) || code === 'ETIMEDOUT') {
    return `${server} does not answer in time. ${WHAT_TO_DO}`
  }
  if (/connection terminated/i.test(message))
    return `${server} closes the connection; it may be no PostgreSQL. ${WHAT_TO_DO}`
  if (/password must be a string/.test(message))
    return `PostgreSQL at ${server} asks for a password, and there is none.`
  if (/does not support SSL/.test(message)) return `PostgreSQL at ${server} does not speak TLS, which sslmode asks for.`
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${server}. ${WHAT_TO_DO}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${url.hostname} cannot be resolved. ${WHAT_TO_DO}`
    case '57P03':
      return `PostgreSQL at ${server} does not take connections yet: ${message}. Start Berth again when it does.`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ECONNRESET':
      return `${server} cannot be reached (${code}). ${WHAT_TO_DO}`
    case '28P01':
      return `PostgreSQL at ${server} refuses the password of the user "${user}". Correct it in DATABASE_URL.`
    case '28000':
      return `PostgreSQL at ${server} does not let the user "${user}" in: ${message}.`
    case '3D000':
      return `PostgreSQL at ${server} has no database "${name}". Make it, with createdb or CREATE DATABASE, or correct the name.`
    case '42501':
      return `the user "${user}" lacks a right in the database "${name}": ${message}. Make it the database's owner.`
    case '53300':
      return `PostgreSQL at ${server} has no connection left: ${message}.`
    default:
      return null
  }
}

function shown(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.password = ''
  // Parameters may hold secrets too.
  url.search = ''
  return url.href
}
