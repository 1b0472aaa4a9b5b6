import type { Admission, Admitted } from './admission.ts'
import { RateLimited } from './admission.ts'
import { addressOf, handedOverOf, type ServerContext, type ServerMiddleware } from './context.ts'
import { presentedBy } from './session-cookie.ts'

interface Identification {
  admission: Admission
  /** False: requests without a valid token pass too, and the API decides what to answer (GraphiQL needs no token). */
  isRequired: boolean
}

/** Counts the request, and authenticates its caller. */
export function identify({ admission, isRequired }: Identification): ServerMiddleware {
  return async (c, next) => {
    const found = handedOverOf(c)?.admitted ?? (await admitted(c, admission))
    const { caller, refusal, headers } = found
    Object.assign(c.get('headers'), headers)
    c.set('admitted', found)
    if (caller) {
      c.set('caller', caller)
      c.set('tokenId', caller.tokenId)
    } else if (isRequired) throw refusal
    return next()
  }
}

async function admitted(c: ServerContext, admission: Admission): Promise<Admitted> {
  try {
    const authorization = presentedBy(c.req.method, (name) => c.req.header(name))
    return await admission.admit({ address: addressOf(c), authorization })
  } catch (error) {
    if (error instanceof RateLimited) Object.assign(c.get('headers'), error.headers)
    throw error
  }
}
