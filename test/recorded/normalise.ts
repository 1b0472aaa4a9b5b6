/**
 * Replaces values that differ from one run to the next by stable names: ids by their order of first appearance, current
 * times, secrets and the address of the server. Everything else stays as it is, so that a difference shows.
 */
export interface Normaliser {
  /** Any text, such as the JSON of a whole call. */
  text(text: string): string
  /** The value of one header, of a request or of an answer. */
  header(name: string, value: string): string
}

interface NormaliserOptions {
  /** Where the server listens, such as http://127.0.0.1:40123. */
  origin: string
  now: Date
}

/** A well-formed id that no record has; scripts send it, and it stays readable. */
export const UNKNOWN_SUFFIX = '01h455vb4pex5vsknk084sn02q'

const ID =
  /\b(acc|usr|app|env|con|op|var|host|tok|aud|ins|cred|upl|vol|svc|bak|arc|wal|wake|run|sch|inst|inv|hook|dlv|ghook|gdlv|ocl|oau|rem|insp)_([0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9a-z])/g
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/** Pothos writes cursors as base64 of `GPC:` and the value. */
const CURSOR = /(?<![A-Za-z0-9+/])R1BD[A-Za-z0-9+/]+={0,2}/g
const TOKEN = /\b(berth_[uesit]_)[0-9a-f]{48}(?![0-9a-f])/g
const WEBHOOK_SECRET = /\b(whsec_)[A-Za-z0-9+/]{43}=/g
const REQUEST_ID = /\breq_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
const UPLOAD_SECRET = /(\bsecret=)[\w-]{43}(?![\w-])/g
const HOST_PROOF = /(\bberth-verify=)[0-9a-f]{64}(?![0-9a-f])/g
/** Of a managed service, alone and in a URL. */
const PASSWORD = /((?:"password":"|:\/\/[a-z]+:))[A-Za-z0-9]{32}(?=["@])/g
/** Of the address of a backup. */
const LINK = /(expires=)\d{10}(&signature=)[\w%-]+/g
/** What an address of a file of lines was asked for. */
const ASKED = /(asked=)[\w-]+/g
/** Of a repository that a test serves. */
const REPOSITORY = /(127\.0\.0\.1(?::|%3A))\d+((?:\/|%2F)acme)/g
const AUDIT_HASH = /("hash":")[0-9a-f]{64}(?=")/g
/** The rest of a budget's minute. */
const MINUTE_LEFT = /\btry again in (?:[1-5]\d|60) s\b/g
const RETRY_AFTER = /("retryAfterSeconds":)(?:[1-5]\d|60)(?=[,}])/g
const ETAG = /"(v\d+-)?[\w-]{16}"/g

/** Invitations end within a month. */
const MONTH_MS = 31 * 86_400_000
const VERSIONED_HEADERS = new Set(['etag', 'if-match', 'if-none-match'])

export function createNormaliser({ origin, now }: NormaliserOptions): Normaliser {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()

  const nameOf = (id: string, prefix: string, suffix: string): string => {
    if (suffix === UNKNOWN_SUFFIX) return id
    const known = names.get(id)
    if (known) return known
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    names.set(id, `<${prefix}-${count}>`)
    return `<${prefix}-${count}>`
  }

  // Times that a script chose, long ago or far ahead, are compared.
  const timeOf = (time: string): string => (Math.abs(Date.parse(time) - now.getTime()) < MONTH_MS ? '<time>' : time)

  return {
    text: (text) =>
      text
        .replace(CURSOR, (cursor) => `<cursor ${decoded(cursor)}>`)
        .replaceAll(origin, '<origin>')
        .replaceAll(origin.replace(/^http/, 'ws'), '<socket origin>')
        .replace(ID, nameOf)
        .replace(TIME, timeOf)
        .replace(TOKEN, '$1<secret>')
        .replace(WEBHOOK_SECRET, '$1<secret>')
        .replace(REQUEST_ID, '<request-id>')
        .replace(UPLOAD_SECRET, '$1<secret>')
        .replace(HOST_PROOF, '$1<proof>')
        .replace(AUDIT_HASH, '$1<hash>')
        .replace(REPOSITORY, '$1<port>$2')
        .replace(ASKED, '$1<asked>')
        .replace(LINK, '$1<expires>$2<signature>')
        .replace(PASSWORD, '$1<password>')
        .replace(MINUTE_LEFT, 'try again in <seconds> s')
        .replace(RETRY_AFTER, '$1"<seconds>"'),
    header(name, value) {
      if (VERSIONED_HEADERS.has(name)) return value.replace(ETAG, (_tag, version) => `"${version ?? ''}<hash>"`)
      if (name === 'ratelimit') return value.replace(/\br=\d+;t=\d+$/, 'r=<n>;t=<seconds>')
      if (name === 'retry-after') return value.replace(/^(?:[1-5]\d|60)$/, '<seconds>')
      return value
    },
  }
}

/** In JSON's spelling, since it is part of a JSON text. */
const decoded = (cursor: string): string => JSON.stringify(Buffer.from(cursor, 'base64').toString('utf8')).slice(1, -1)
