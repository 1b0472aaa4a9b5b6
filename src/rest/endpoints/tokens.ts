import { z } from 'zod'
import { appEnvToken, token, userToken } from '../../resources/token.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const getToken = getOne({
  name: 'getToken',
  permission: 'token:own',
  about: 'A token, without its secret.',
  query: { tokenId: id('token') },
  answer: token.answer,
  find: ({ services, caller }, { tokenId }) => services.tokens.get(caller, tokenId),
  show: token.answer.of,
})

export const listTokens = getList({
  name: 'listTokens',
  permission: 'token:own',
  about: 'Your tokens, those of another user (installation admin), or those of an environment (account admin).',
  query: { userId: id('user').optional(), appEnvId: id('environment').optional() },
  items: 'tokens',
  answer: token.answer,
  find: ({ services, caller }, filter, page) => services.tokens.list(caller, filter, page),
  show: token.answer.of,
})

export const getUserToken = read({
  name: 'getUserToken',
  permission: 'user:read',
  about: 'The user behind the token of the call, and what the token may do.',
  query: z.strictObject({}),
  answer: userToken.answer.type,
  run: ({ services, caller }) => services.tokens.ofUser(caller),
})

export const getAppEnvToken = read({
  name: 'getAppEnvToken',
  permission: 'appEnv:operate',
  about: 'The environment that a client is about to operate, and its newest token.',
  query: z.strictObject(appEnvTarget),
  answer: appEnvToken.answer.type,
  run: ({ services, caller }, address) => services.tokens.ofAppEnv(caller, address),
})
