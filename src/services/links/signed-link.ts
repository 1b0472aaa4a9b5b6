import { timingSafeEqual } from 'node:crypto'
import type { Vault } from '../../storage/secrets/vault.ts'

/** How long a download goes on after its address has ended. */
const RECHECK_MS = 5_000

/** The signature of an address, which names the token that asked for it. `text` is everything that the address promises. */
export const signatureOf = (vault: Vault, text: string, maker: string): string =>
  `${Buffer.from(maker).toString('base64url')}-${vault.linkMac(text)}`

/** The token that a signature names, which is to be believed once the signature holds. */
export const makerOf = (signature: string): string =>
  Buffer.from(signature.slice(0, signature.lastIndexOf('-')), 'base64url').toString()

export function isSignature(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** When an address ends: after so many seconds, or with the token that asked for it, because it is given away. */
export const endOf = (now: Date, seconds: number, tokenEnds: Date | null): number =>
  Math.floor(Math.min(now.getTime() + seconds * 1000, tokenEnds?.getTime() ?? Infinity) / 1000)

/** What a link leads to may take longer to read than a token to be revoked: it is asked again on the way. */
export async function* whileOpen<Chunk>(
  content: AsyncIterable<Chunk>,
  isOpen: () => Promise<boolean>,
  gone: () => Error,
): AsyncGenerator<Chunk> {
  let askedAt = performance.now()
  for await (const chunk of content) {
    if (performance.now() - askedAt > RECHECK_MS) {
      if (!(await isOpen())) throw gone()
      askedAt = performance.now()
    }
    yield chunk
  }
}
