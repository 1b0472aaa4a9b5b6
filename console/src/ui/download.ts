import { NO_ANSWER, type Refusal, refusalOf } from '../graphql/refusal.ts'

const API = '/api/public/v1'
/** Of pages of one file: beyond it, a script is the better reader. */
const MAX_PAGES = 100

/**
 * Saves a list of the REST API as a file of comma-separated values: all of its pages, with the names of the columns once.
 * Resolves to why it was refused, or null.
 */
export async function downloadCsv(
  path: string,
  query: Readonly<Record<string, string | null | undefined>>,
  fileName: string,
): Promise<Refusal | null> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const parts: string[] = []
  let address: string | null = `${API}${path}?${new URLSearchParams([...given, ['format', 'csv']])}`
  for (let page = 0; address && page < MAX_PAGES; page++) {
    const response: Response | null = await fetch(address, { credentials: 'same-origin' }).catch(() => null)
    if (!response) return NO_ANSWER
    if (!response.ok) return refused(await response.json().catch(() => null))
    const text = await response.text()
    parts.push(page === 0 ? text : text.slice(text.indexOf('\r\n') + 2))
    address = nextOf(response.headers.get('link'))
  }
  save(parts.join(''), fileName)
  return null
}

/** The address of the next page: of a `Link` header, without its host, which a proxy may have another one of. */
function nextOf(link: string | null): string | null {
  const found = /<([^>]+)>\s*;[^,]*rel="?next"?/.exec(link ?? '')?.[1]
  if (!found) return null
  const { pathname, search } = new URL(found, location.origin)
  return pathname.startsWith(API) ? pathname + search : null
}

function refused(problem: { message?: string; code?: string; reason?: string; requestId?: string } | null): Refusal {
  if (!problem?.message) return NO_ANSWER
  const { message, ...extensions } = problem
  return refusalOf({ message, extensions })
}

export function save(text: string, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href))
}
