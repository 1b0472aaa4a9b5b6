import type { Hono } from 'hono'
import { DomainError } from '../../../domain/errors.ts'
import { GIT_HOOK_PATH } from '../../../services/git-hook/git-hook-fields.ts'
import { notProven } from '../../../services/git-hook/receive-git-hook.ts'
import type { Admission } from '../../http/admission.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv } from '../../http/context.ts'
import { readBytes } from '../../http/request-body.ts'
import { MethodNotAllowed } from '../protocol/errors.ts'
import type { RestDependencies } from '../protocol/route.ts'

/** Takes what git hosts send: their signature over the body stands for a token. */
export function mountGitHooks(
  app: Hono<ServerEnv>,
  { services, config }: RestDependencies,
  admission: Admission,
): void {
  app.post(GIT_HOOK_PATH, async (c) => {
    c.set('route', GIT_HOOK_PATH)
    const address = addressOf(c)
    const hook = hookOf(c)
    const source = await admission.admitHook({ address, hook }, () => services.gitHooks.source(hook))
    if (!source) throw notProven()
    const body = Buffer.from((await readBytes(c.req.raw, config.BERTH_GIT_HOOK_LIMIT_KB)) as ArrayBuffer)
    const sent = {
      body,
      address,
      header: (name: string) => c.req.header(name),
      contentType: c.req.header('content-type'),
    }
    try {
      return answerJson(c, 200, await services.gitHooks.receive(source, sent))
    } catch (error) {
      if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') await admission.chargeAnonymous(address, 1)
      throw error
    }
  })
  app.all(GIT_HOOK_PATH, (c) => {
    throw new MethodNotAllowed(c.req.method, 'POST')
  })
}

/** Null: a delivery of the GitHub App, which has no hook. */
function hookOf(c: ServerContext): string | null {
  const [hook = null, ...more] = c.req.queries('hook') ?? []
  if (more.length > 0) throw notProven()
  return hook
}
