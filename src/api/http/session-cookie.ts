import { DomainError } from '../../domain/errors.ts'

/** Reads a header of a request, whatever kind of request it is. */
export type ReadHeader = (name: string) => string | null | undefined

/** Of a session; and of a browser that was sent to the company's provider, until it comes back. */
type CookieName = 'berth_session' | 'berth_company'

/**
 * Browsers take a cookie with this prefix only from this host itself, over HTTPS: no neighbour's page can set it. Over
 * plain HTTP on this machine, browsers differ about it, and it is left out.
 */
const PREFIX = '__Host-'

const LOOPBACK = /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/**
 * What a request presents in place of a token: its Authorization header or, in a request of one of our own pages, the
 * session of its cookie. Browsers send cookies with requests that other sites make, so that a cookie alone counts for
 * nothing.
 */
export function presentedBy(method: string, header: ReadHeader): string | null {
  const authorization = header('authorization')
  if (authorization) return authorization
  const session = sessionIn(header)
  return session !== null && isOwnRequest(method, header) ? session : null
}

/** The session's secret; null without one. Whether the request may use it is for `isOwnRequest` to say. */
export const sessionIn = (header: ReadHeader): string | null => cookieIn(header, 'berth_session')

export function cookieIn(header: ReadHeader, name: CookieName): string | null {
  const cookies = header('cookie')
  if (!cookies) return null
  return valueIn(cookies, PREFIX + name) ?? (isLoopback(header) ? valueIn(cookies, name) : null)
}

function valueIn(cookies: string, name: string): string | null {
  for (const pair of cookies.split(';')) {
    const [key = '', value = ''] = pair.split('=', 2)
    if (key.trim() === name) return value.trim()
  }
  return null
}

/**
 * Whether a page of this origin made the request. Browsers that say where a request comes from are believed: no page
 * can change these headers. A page of an app is on the same site, and not of the same origin.
 */
export function isOwnRequest(method: string, header: ReadHeader): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const site = header('sec-fetch-site')
  if (site) return site === 'same-origin' || (site === 'none' && isRead)
  const origin = header('origin')
  if (origin) return hostOf(origin) === header('host')?.toLowerCase()
  // No browser: it sends one of them with every write.
  return isRead
}

/** Throws FORBIDDEN for a request that another site made. */
export function requireOwnRequest(method: string, header: ReadHeader): void {
  if (isOwnRequest(method, header)) return
  throw new DomainError(
    'FORBIDDEN',
    'OTHER_ORIGIN',
    'This call is for the pages of Berth itself: send it from one of them',
  )
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

export const isLoopback = (header: ReadHeader): boolean => LOOPBACK.test(header('host') ?? '')

/** What is known of a browser's connection: whether it is encrypted, by header or setting. */
export interface Meeting {
  header: ReadHeader
  /** BERTH_API_URL, where it is set. */
  apiUrl: string | undefined
}

/** A cookie over plain HTTP could be read on its way, except on this machine. */
export function requireSafeMeeting(meeting: Meeting): void {
  if (isEncrypted(meeting) || isLoopback(meeting.header)) return
  const how = 'Put a proxy with TLS in front, and set BERTH_API_URL; or open Berth on its own machine, at localhost'
  throw new DomainError('FORBIDDEN', 'HTTPS_REQUIRED', `Signing in needs HTTPS. ${how}`)
}

/** A client that claims an encryption that is not there gets a cookie that its browser does not keep. */
export function isEncrypted({ header, apiUrl }: Meeting): boolean {
  if (header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https') return true
  return apiUrl?.startsWith('https:') === true && hostOf(apiUrl) === header('host')?.toLowerCase()
}

/** A Set-Cookie header. With no seconds, it removes the cookie. */
export function setCookie(meeting: Meeting, name: CookieName, value: string, seconds: number): string {
  const [prefix, secure] = isEncrypted(meeting) ? [PREFIX, '; Secure'] : ['', '']
  return `${prefix}${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(seconds))}; HttpOnly; SameSite=Lax${secure}`
}
