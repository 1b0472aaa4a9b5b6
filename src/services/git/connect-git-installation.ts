import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { command } from '../../calls/command.ts'
import { id, pasted } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { type DomainError, invalidField } from '../../domain/errors.ts'
import { lockAccount } from '../targets/load-account.ts'
import { recordInstallation, requireGitHubApp } from './git-installation.ts'
import { refuseInstallation } from './github-proof.ts'

const MAX_SECRET_LENGTH = 500

export const connectGitInstallation = command({
  name: 'connectGitInstallation',
  rest: { method: 'POST', path: '/git-installation', answer: messageAnswer },
  about: 'Prove that an installation of the GitHub App is yours, so that apps of the account can be built from it.',
  example: {
    request: { gitInstallationId: '4711', userToken: '<secret>' },
    answer: { message: 'Apps of the account may be built from the GitHub App installation 4711' },
  },
  input: z.strictObject({
    accountId: id('account'),
    gitInstallationId: pasted()
      .regex(/^\d{1,20}$/, 'must be the number of a GitHub App installation')
      .describe('Number of the installation, which GitHub adds to the redirect as installation_id.'),
    code: pasted()
      .min(1)
      .max(MAX_SECRET_LENGTH)
      .optional()
      .describe('Code that GitHub adds to the same redirect. Works once.'),
    userToken: pasted()
      .min(1)
      .max(MAX_SECRET_LENGTH)
      .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII')
      .optional()
      .describe('User access token of the GitHub App, in place of a code. It is not kept.'),
  }),
  permission: 'app:change',
  /** GitHub is asked before the transaction begins, and only for callers whose call could succeed. */
  prepare: {
    on: async (_tools, { accountId }) => ({ accountId }),
    async ask({ config }, _caller, { gitInstallationId, code, userToken }): Promise<DomainError | null> {
      if ((code === undefined) === (userToken === undefined)) return null
      return refuseInstallation(config, gitInstallationId, { code, userToken })
    },
  },
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute({ tx, caller, config, prepared, auditDetails }, { accountId, gitInstallationId, code, userToken }) {
    if (code === undefined && userToken === undefined)
      throw invalidField('code', 'is required, unless userToken is sent')
    if (code !== undefined && userToken !== undefined) throw invalidField('userToken', 'is sent instead of code')
    requireGitHubApp(config)
    if (prepared) throw prepared
    await recordInstallation(tx, gitInstallationId, accountId, userOf(caller))
    auditDetails({ gitInstallationId })
    return { message: `Apps of the account may be built from the GitHub App installation ${gitInstallationId}` }
  },
})
