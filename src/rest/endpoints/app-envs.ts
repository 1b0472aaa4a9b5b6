import { z } from 'zod'
import { appEnvAnswer, appEnvListItem } from '../../resources/app-env.ts'
import { answers } from '../../resources/outcome.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { getList } from '../protocol/resource-reads.ts'
import { read, Versioned } from '../protocol/route.ts'

const REVEALED = 'Whether to show the values of secrets. Admins only; leaves an audit entry.'

export const getAppEnv = read({
  name: 'getAppEnv',
  permission: 'appEnv:read',
  about: 'An app environment, by appEnvId or envName.',
  query: z.strictObject({ ...appEnvTarget, decrypt: z.boolean().default(false).describe(REVEALED) }),
  answer: appEnvAnswer.type,
  isSingle: true,
  async run({ services, caller, requestId }, { decrypt, ...address }) {
    const { record, version } = await services.appEnvs.record(caller, address, { decrypt, requestId })
    return new Versioned(record, version)
  },
})

export const listAppEnvs = getList({
  name: 'listAppEnvs',
  permission: 'appEnv:read',
  about: 'The environments of an app or an account; of your current account when neither is given.',
  query: { accountId: id('account').optional(), appId: id('app').optional() },
  items: 'appEnvs',
  answer: appEnvListItem,
  find: ({ services, caller }, filter, page, wanted) => services.appEnvs.list(caller, filter, page, wanted),
})

export const getVariables = read({
  name: 'getVariables',
  permission: 'appEnv:read',
  about: 'The environment variables of an environment.',
  query: z.strictObject({ ...appEnvTarget, showSecrets: z.boolean().default(false).describe(REVEALED) }),
  answer: answers.variables.type,
  isSingle: true,
  async run({ services, caller, requestId }, { showSecrets, ...address }) {
    const { variables, version } = await services.appEnvs.variables(caller, address, { showSecrets, requestId })
    return new Versioned({ variables }, version)
  },
})
