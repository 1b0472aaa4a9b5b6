import { z } from 'zod'
import { exactlyOneOf, heldToRules } from '../../calls/alternatives.ts'
import { userOf } from '../../calls/caller.ts'
import { command } from '../../calls/command.ts'
import { id, pasted } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import type { DomainError } from '../../domain/errors.ts'
import { lockAccount } from '../targets/load-account.ts'
import { recordInstallation, requireGitHubApp } from './git-installation.ts'
import { refuseInstallation } from './github-proof.ts'

const MAX_SECRET_LENGTH = 500

export const gitInstallationProof = heldToRules(
  z.strictObject(
    exactlyOneOf({
      code: pasted()
        .min(1)
        .max(MAX_SECRET_LENGTH)
        .optional()
        .describe('Code that GitHub adds to the redirect after the App was installed. Works once.'),
      userToken: pasted()
        .min(1)
        .max(MAX_SECRET_LENGTH)
        .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII')
        .optional()
        .describe('User access token of the GitHub App. It is not kept.'),
    }),
  ),
).describe('What proves that you own the installation: a code or a user access token.')

export const connectGitInstallation = command({
  name: 'connectGitInstallation',
  rest: { method: 'POST', path: '/git-installation', answer: messageAnswer },
  about: 'Prove that an installation of the GitHub App is yours, so that apps of the account can be built from it.',
  example: {
    request: { gitInstallationId: '4711', proof: { userToken: '<secret>' } },
    answer: { message: 'Apps of the account may be built from the GitHub App installation 4711' },
  },
  input: z.strictObject({
    accountId: id('account'),
    gitInstallationId: pasted()
      .regex(/^\d{1,20}$/, 'must be the number of a GitHub App installation')
      .describe('Number of the installation, which GitHub adds to the redirect as installation_id.'),
    proof: gitInstallationProof,
  }),
  permission: 'app:change',
  /** GitHub is asked before the transaction begins, and only for callers whose call could succeed. */
  prepare: {
    on: async (_tools, { accountId }) => ({ accountId }),
    ask: ({ config }, _caller, { gitInstallationId, proof }): Promise<DomainError | null> =>
      refuseInstallation(config, gitInstallationId, proof),
  },
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute({ tx, caller, config, prepared, auditDetails }, { accountId, gitInstallationId }) {
    requireGitHubApp(config)
    if (prepared) throw prepared
    await recordInstallation(tx, gitInstallationId, accountId, userOf(caller))
    auditDetails({ gitInstallationId })
    return { message: `Apps of the account may be built from the GitHub App installation ${gitInstallationId}` }
  },
})
