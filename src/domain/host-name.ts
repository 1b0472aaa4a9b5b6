import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** A host name in DNS form: lower case, ASCII, without a trailing dot. Otherwise what is wrong with it. */
export function parseHostName(text: string): { host: string } | { problem: string } {
  const host = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase()
  const labels = host.split('.')
  if (host === '' || host.length > 253 || isIP(host) !== 0 || !labels.every((label) => LABEL.test(label)))
    return { problem: 'must be a host name, such as shop.example.com' }
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return { problem: 'must be a name below a domain' }
  return { host }
}

/** Whether a name is the domain itself or below it. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)
