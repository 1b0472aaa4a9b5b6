import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteAutoDeploy, setAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import {
  createGitHook,
  deleteGitHook,
  rotateGitHookSecret,
  updateGitHook,
} from '../../src/services/git-hook/git-hook-commands.ts'
import {
  deletePullRequestEnvs,
  setPullRequestEnvs,
} from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const hook = async ({ perform, accountId }: World) =>
  (await perform(createGitHook, { accountId, provider: 'GITHUB', name: 'Hook' })).gitHookId

/** An environment that is built from a branch. */
async function built({ perform, accountId }: World): Promise<{ appId: string; appEnvId: string }> {
  const app = { name: 'Built', accountId, port: 3000, gitRepo: 'https://git.example.com/acme/shop' }
  const { appId } = await perform(createApp, app)
  const input = { accountId, appId, name: 'production', region: 'local', branch: 'main' }
  return { appId, appEnvId: (await perform(createAppEnv, input)).appEnvId }
}

async function deployed(world: World): Promise<string> {
  const { appEnvId } = await built(world)
  await world.perform(setAutoDeploy, { appEnvId })
  return appEnvId
}

async function previewed(world: World): Promise<{ appId: string; baseAppEnvId: string }> {
  const { appId, appEnvId: baseAppEnvId } = await built(world)
  await world.perform(setPullRequestEnvs, { appId, baseAppEnvId })
  return { appId, baseAppEnvId }
}

const statuses = { statusApiUrl: 'https://api.github.com', statusToken: 'a-token' }

const UNKNOWN = { gitHookId: 'ghook_01h455vb4pex5vsknk084sn02q' }

export const gitHookCases = [
  parityCase('createGitHook', 'accepted', async ({ accountId }) => ({
    command: createGitHook,
    input: { accountId, provider: 'GITLAB', name: 'Hook' },
  })),
  parityCase('createGitHook of one app', 'accepted', async (world) => ({
    command: createGitHook,
    input: { accountId: world.accountId, appId: await world.app({ name: 'Shop' }), provider: 'GITEA', name: 'Hook' },
  })),
  parityCase('createGitHook of an app of another account', 'NOT_FOUND', async (world) => ({
    command: createGitHook,
    input: {
      accountId: world.accountId,
      provider: 'GITEA',
      name: 'Hook',
      appId: await world.app({ name: 'Shop', accountId: await world.account('Other') }),
    },
  })),
  parityCase('createGitHook without a name', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createGitHook,
    input: { accountId, provider: 'GITHUB', name: '!' },
  })),
  parityCase('createGitHook by AUDIT', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createGitHook,
    input: { accountId: world.accountId, provider: 'GITHUB', name: 'Hook' },
    token: (await world.user({ roles: ['AUDIT'] })).token,
  })),
  parityCase('createGitHook with statuses', 'accepted', async ({ accountId }) => ({
    command: createGitHook,
    input: {
      accountId,
      provider: 'GITHUB',
      name: 'Hook',
      ...statuses,
    },
  })),
  parityCase('updateGitHook', 'accepted', async (world) => ({
    command: updateGitHook,
    input: { gitHookId: await hook(world), name: 'Other', ...statuses },
  })),
  parityCase('updateGitHook to no statuses', 'accepted', async (world) => ({
    command: updateGitHook,
    input: { gitHookId: await hook(world), statusApiUrl: null, statusToken: null },
  })),
  parityCase('updateGitHook with a token for another address', 'INVALID_INPUT', async (world) => ({
    command: updateGitHook,
    input: { gitHookId: await hook(world), statusApiUrl: 'https://other.example.com' },
  })),
  parityCase('updateGitHook to a private address', 'INVALID_INPUT', async (world) => ({
    command: updateGitHook,
    input: { gitHookId: await hook(world), ...statuses, statusApiUrl: 'https://169.254.169.254/' },
  })),
  parityCase('rotateGitHookSecret', 'accepted', async (world) => ({
    command: rotateGitHookSecret,
    input: { gitHookId: await hook(world) },
  })),
  parityCase('rotateGitHookSecret at an old version', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => ({
    command: rotateGitHookSecret,
    input: { gitHookId: await hook(world) },
    expectedVersion: 7,
  })),
  parityCase('deleteGitHook', 'accepted', async (world) => ({
    command: deleteGitHook,
    input: { gitHookId: await hook(world) },
  })),
  parityCase('deleteGitHook that is unknown', 'NOT_FOUND', async () => ({ command: deleteGitHook, input: UNKNOWN })),
  parityCase('setAutoDeploy', 'accepted', async (world) => ({
    command: setAutoDeploy,
    input: { appEnvId: (await built(world)).appEnvId, watchPaths: ['src/**', '!**/*.md'] },
  })),
  parityCase('setAutoDeploy again', 'accepted', async (world) => ({
    command: setAutoDeploy,
    input: { appEnvId: await deployed(world), watchPaths: ['src'] },
  })),
  parityCase('setAutoDeploy with what is no pattern', 'INVALID_INPUT', async (world) => ({
    command: setAutoDeploy,
    input: { appEnvId: (await built(world)).appEnvId, watchPaths: ['[a-z'] },
  })),
  parityCase('setAutoDeploy of an app that runs images', 'CONFLICT NO_REPOSITORY', async (world) => {
    const { appId, appEnvId } = await built(world)
    await world.perform(updateApp, { appId, useImage: true, image: 'nginx:1' })
    return { command: setAutoDeploy, input: { appEnvId } }
  }),
  parityCase('setAutoDeploy by a token that may not deploy', 'FORBIDDEN SCOPE_MISSING', async (world) => ({
    command: setAutoDeploy,
    input: { appEnvId: (await built(world)).appEnvId },
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:write:config'] })).token,
  })),
  parityCase('deleteAutoDeploy', 'accepted', async (world) => ({
    command: deleteAutoDeploy,
    input: { appEnvId: await deployed(world) },
  })),
  parityCase('setPullRequestEnvs', 'accepted', async (world) => {
    const { appId, appEnvId: baseAppEnvId } = await built(world)
    const input = {
      appId,
      baseAppEnvId,
      targetBranches: ['main'],
      expiresAfterHours: 8,
      maxAppEnvs: 2,
      allowForks: true,
    }
    return { command: setPullRequestEnvs, input }
  }),
  parityCase('setPullRequestEnvs again', 'accepted', async (world) => ({
    command: setPullRequestEnvs,
    input: { ...(await previewed(world)), copySecrets: true },
  })),
  parityCase('setPullRequestEnvs for ever', 'INVALID_INPUT', async (world) => ({
    command: setPullRequestEnvs,
    input: { ...(await previewed(world)), expiresAfterHours: 100_000 },
  })),
  parityCase('setPullRequestEnvs like an environment of another app', 'INVALID_INPUT', async (world) => ({
    command: setPullRequestEnvs,
    input: { ...(await previewed(world)), baseAppEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
  })),
  parityCase('setPullRequestEnvs of an app that runs images', 'CONFLICT NO_REPOSITORY', async (world) => {
    const { appId, appEnvId: baseAppEnvId } = await built(world)
    await world.perform(updateApp, { appId, useImage: true, image: 'nginx:1' })
    return { command: setPullRequestEnvs, input: { appId, baseAppEnvId } }
  }),
  parityCase('setPullRequestEnvs by a token that may not deploy', 'FORBIDDEN SCOPE_MISSING', async (world) => ({
    command: setPullRequestEnvs,
    input: await previewed(world),
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:write:config'] })).token,
  })),
  parityCase(
    'setPullRequestEnvs with secrets by TECHNICAL, who may not see them',
    'FORBIDDEN ROLE_MISSING',
    async (world) => ({
      command: setPullRequestEnvs,
      input: { ...(await previewed(world)), copySecrets: true },
      token: (await world.user({ roles: ['TECHNICAL'] })).token,
    }),
  ),
  parityCase('deletePullRequestEnvs', 'accepted', async (world) => ({
    command: deletePullRequestEnvs,
    input: { appId: (await previewed(world)).appId },
  })),
  parityCase('deletePullRequestEnvs that are not on', 'NOT_FOUND', async (world) => ({
    command: deletePullRequestEnvs,
    input: { appId: (await built(world)).appId },
  })),
  parityCase('deleteAutoDeploy that is not on', 'NOT_FOUND', async (world) => ({
    command: deleteAutoDeploy,
    input: { appEnvId: (await built(world)).appEnvId },
  })),
]
