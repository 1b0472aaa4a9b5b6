import { z } from 'zod'
import { credentialRecord } from '../../services/credential/credential-commands.ts'
import { credentialType } from '../../services/credential/credential-data.ts'
import { id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read, Versioned } from '../protocol/route.ts'

export const credential = z
  .object({
    credentialId: z.string().describe('Credential id.'),
    accountId: z.string().describe('Account that owns it.'),
    type: credentialType,
    name: z.string().describe('Its name.'),
    data: z.record(z.string(), z.string()).describe('Its fields, without the secret ones.'),
    createdAt: z.iso.datetime().describe('When it was made.'),
    updatedAt: z.iso.datetime().describe('When it was last changed.'),
  })
  .meta({ id: 'Credential', description: 'A login that apps refer to, without its secrets.' })

export const createdCredential = z.object({ credentialId: credential.shape.credentialId })

export const getCredential = read({
  name: 'getCredential',
  about: 'A credential, without its secrets.',
  query: z.strictObject({ credentialId: id('credential') }),
  answer: credential,
  isSingle: true,
  async run({ services, caller }, { credentialId }) {
    const found = await services.credentials.get(caller, credentialId)
    return new Versioned(credentialRecord(found), found.version)
  },
})

export const listCredentials = read({
  name: 'listCredentials',
  about: 'The credentials of an account; of your current account when accountId is omitted.',
  query: z.strictObject({ accountId: id('account').optional(), ...paging }),
  answer: listAnswer('credentials', credential),
  async run({ services, caller }, { accountId, ...slice }) {
    return listOf('credentials', await services.credentials.list(caller, accountId, slice), credentialRecord)
  },
})
