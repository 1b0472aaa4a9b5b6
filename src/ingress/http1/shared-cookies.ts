import { domainToASCII } from 'node:url'
import { isWithin } from '../../domain/host-name.ts'

/**
 * Removes the Domain of cookies that would reach every app of the installation: those for a base domain or a parent of
 * one. Without a Domain, the cookie belongs to the app's own host, and its sessions work. Browsers treat domains on
 * the Public Suffix List similarly, but an installation's own domain is not on it.
 */
export function withoutSharedCookies(headers: string[], baseDomains: readonly string[]): string[] {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string
    if (name.length === 10 && name.toLowerCase() === 'set-cookie')
      headers[index + 1] = ownCookie(headers[index + 1] as string, baseDomains)
  }
  return headers
}

function ownCookie(cookie: string, baseDomains: readonly string[]): string {
  const [pair = '', ...attributes] = cookie.split(';')
  if (!attributes.some((attribute) => isShared(attribute, baseDomains))) return cookie
  // All of them: browsers use the last one, and may differ about one that they cannot read.
  return [pair, ...attributes.filter((attribute) => domainOf(attribute) === null)].join(';')
}

function isShared(attribute: string, baseDomains: readonly string[]): boolean {
  const domain = domainOf(attribute)
  return domain !== null && domain !== '' && baseDomains.some((base) => isWithin(base, domain))
}

/** As a browser reads it: without a leading dot, in lower case, and in ASCII. */
function domainOf(attribute: string): string | null {
  const equals = attribute.indexOf('=')
  if (equals < 0 || attribute.slice(0, equals).trim().toLowerCase() !== 'domain') return null
  const text = Buffer.from(attribute.slice(equals + 1).trim(), 'latin1').toString('utf8')
  return domainToASCII(text.replace(/^\./, '').replace(/\.$/, ''))
}
