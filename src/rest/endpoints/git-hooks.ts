import { z } from 'zod'
import { autoDeploy } from '../../resources/auto-deploy.ts'
import { gitDelivery, gitDeliveryOutcome } from '../../resources/git-delivery.ts'
import { gitHook } from '../../resources/git-hook.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read, Versioned } from '../protocol/route.ts'

export const getGitHook = getOne({
  name: 'getGitHook',
  permission: 'gitHook:manage',
  about: 'A git hook, without its secret.',
  query: { gitHookId: id('git hook') },
  answer: gitHook.answer,
  isVersioned: true,
  find: ({ services, caller }, { gitHookId }) => services.gitHooks.get(caller, gitHookId),
  show: gitHook.answer.of,
})

export const listGitHooks = getList({
  name: 'listGitHooks',
  permission: 'gitHook:manage',
  about: 'The git hooks of an account; of your current account when accountId is omitted.',
  query: { accountId: id('account').optional() },
  items: 'gitHooks',
  answer: gitHook.answer,
  find: ({ services, caller }, filter, page) => services.gitHooks.list(caller, filter, page),
  show: gitHook.answer.of,
})

export const getGitDelivery = getOne({
  name: 'getGitDelivery',
  permission: 'gitHook:manage',
  about: 'What a git host has told, and what came of it.',
  query: { gitDeliveryId: id('git delivery') },
  answer: gitDelivery.answer,
  find: ({ services, caller }, { gitDeliveryId }) => services.gitDeliveries.get(caller, gitDeliveryId),
  show: gitDelivery.answer.of,
})

export const listGitDeliveries = getList({
  name: 'listGitDeliveries',
  permission: 'gitHook:manage',
  about: 'What git hosts have told an account, newest first; your current account when accountId is omitted.',
  query: {
    accountId: id('account').optional(),
    gitHookId: id('git hook that was used').optional(),
    outcome: gitDeliveryOutcome.type.optional().describe('Outcome: only deliveries of which that came.'),
  },
  items: 'gitDeliveries',
  answer: gitDelivery.answer,
  find: ({ services, caller }, filter, page) => services.gitDeliveries.list(caller, filter, page),
  show: gitDelivery.answer.of,
})

export const getAutoDeploy = read({
  name: 'getAutoDeploy',
  permission: 'appEnv:read',
  about: 'Whether and how pushes deploy an environment; 404 where they do not.',
  query: z.strictObject(appEnvTarget),
  answer: autoDeploy.answer.type,
  isSingle: true,
  async run({ services, caller }, address) {
    const found = await services.autoDeploys.get(caller, address)
    return new Versioned(autoDeploy.answer.of(found), found.version)
  },
})
