import { z } from 'zod'
import { pullRequestEnvs } from '../../resources/pull-request-envs.ts'
import { id } from '../../services/kernel/input.ts'
import { read, Versioned } from '../protocol/route.ts'

export const getPullRequestEnvs = read({
  name: 'getPullRequestEnvs',
  permission: 'app:read',
  about: 'Whether and how pull requests of an app get environments of their own; 404 where they do not.',
  query: z.strictObject({ appId: id('app') }),
  answer: pullRequestEnvs.answer.type,
  isSingle: true,
  async run({ services, caller }, { appId }) {
    const found = await services.pullRequestEnvs.get(caller, appId)
    return new Versioned(pullRequestEnvs.answer.of(found), found.version)
  },
})
