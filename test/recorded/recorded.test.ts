import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFixture, type Script } from './fixture.ts'
import { graphqlGitHooks, graphqlPullRequestEnvs, restGitHooks, restPullRequestEnvs } from './git-hooks.ts'
import { graphqlAppEnvs, graphqlSettings } from './graphql-app-envs.ts'
import { graphqlApps } from './graphql-apps.ts'
import { graphqlLifecycle } from './graphql-lifecycle.ts'
import { graphqlObserved } from './graphql-observed.ts'
import { graphqlAccounts, graphqlSecrets } from './graphql-people.ts'
import { graphqlInputs, graphqlProtocol } from './graphql-protocol.ts'
import { graphqlInvitations, restInvitations } from './invitations.ts'
import { graphqlJobs, restJobs } from './jobs.ts'
import { LIMITS, limited } from './limited.ts'
import { graphqlOperatorReads, restOperatorReads, WITHOUT_DNS } from './operator-reads.ts'
import { outcomesOf } from './outcomes.ts'
import type { Recorded } from './recorder.ts'
import { graphqlRemoteSessions, restRemoteSessions } from './remote-sessions.ts'
import { restAppEnvs, restSettings } from './rest-app-envs.ts'
import { restApps } from './rest-apps.ts'
import { restLifecycle } from './rest-lifecycle.ts'
import { restObserved } from './rest-observed.ts'
import { restAccounts, restSecrets } from './rest-people.ts'
import { restInputs, restProtocol } from './rest-protocol.ts'
import { graphqlServices, restServices } from './services.ts'
import { graphqlSolutions, restSolutions } from './solutions.ts'
import { graphqlTokens, restTokens } from './tokens.ts'
import { graphqlUsage, restUsage } from './usage.ts'
import { graphqlWebhooks, restWebhooks } from './webhooks.ts'

/** A time that is later would be taken for one that the script chose. */
const WITHIN_A_DAY = { BERTH_WEBHOOK_SECRET_HOURS: '1', BERTH_GIT_HOOK_SECRET_HOURS: '1' }
const WITHIN_A_MONTH = { BERTH_OAUTH_AUTHORIZATION_DAYS: '20' }

/** Each has its own file, and runs in an installation of its own. */
const SCRIPTS: Record<string, { script: Script; settings?: Record<string, string> }> = {
  'rest-apps': { script: restApps },
  'rest-app-envs': { script: restAppEnvs },
  'rest-settings': { script: restSettings },
  'rest-lifecycle': { script: restLifecycle },
  'rest-services': { script: restServices },
  'rest-jobs': { script: restJobs },
  'rest-remote-sessions': { script: restRemoteSessions },
  'rest-solutions': { script: restSolutions },
  'rest-usage': { script: restUsage },
  'rest-webhooks': { script: restWebhooks, settings: WITHIN_A_DAY },
  'rest-git-hooks': { script: restGitHooks, settings: WITHIN_A_DAY },
  'rest-pull-request-envs': { script: restPullRequestEnvs },
  'rest-observed': { script: restObserved },
  'rest-operator-reads': { script: restOperatorReads, settings: WITHOUT_DNS },
  'graphql-operator-reads': { script: graphqlOperatorReads, settings: WITHOUT_DNS },
  'rest-accounts': { script: restAccounts },
  'rest-invitations': { script: restInvitations },
  'rest-tokens': { script: restTokens, settings: WITHIN_A_MONTH },
  'rest-secrets': { script: restSecrets },
  'rest-protocol': { script: restProtocol },
  'rest-inputs': { script: restInputs },
  'graphql-apps': { script: graphqlApps },
  'graphql-app-envs': { script: graphqlAppEnvs },
  'graphql-settings': { script: graphqlSettings },
  'graphql-lifecycle': { script: graphqlLifecycle },
  'graphql-services': { script: graphqlServices },
  'graphql-jobs': { script: graphqlJobs },
  'graphql-remote-sessions': { script: graphqlRemoteSessions },
  'graphql-solutions': { script: graphqlSolutions },
  'graphql-usage': { script: graphqlUsage },
  'graphql-webhooks': { script: graphqlWebhooks, settings: WITHIN_A_DAY },
  'graphql-git-hooks': { script: graphqlGitHooks, settings: WITHIN_A_DAY },
  'graphql-pull-request-envs': { script: graphqlPullRequestEnvs },
  'graphql-observed': { script: graphqlObserved },
  'graphql-accounts': { script: graphqlAccounts },
  'graphql-invitations': { script: graphqlInvitations },
  'graphql-tokens': { script: graphqlTokens, settings: WITHIN_A_MONTH },
  'graphql-secrets': { script: graphqlSecrets },
  'graphql-protocol': { script: graphqlProtocol },
  'graphql-inputs': { script: graphqlInputs },
  limited: { script: limited, settings: LIMITS },
}

/**
 * Both APIs, call by call: the answers must equal the recorded ones byte for byte, except for what differs from run to
 * run (`normalise.ts`). After an intended change, record again with `RECORD=1 npx vitest run test/recorded`, and read
 * the difference.
 */
const FOLDER = join(import.meta.dirname, 'answers')
const isRecording = process.env.RECORD === '1'

const fileOf = (name: string) => join(FOLDER, `${name}.json`)
const printed = (value: unknown) => JSON.stringify(value, null, 2)

function keptOf(name: string): Recorded[] {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : []
}

let same = 0
let all = 0

afterAll(() => {
  const done = isRecording ? `${all} written` : `${same} of ${all} are the same`
  console.info(`recorded answers: ${done}`)
})

describe.each(Object.keys(SCRIPTS))('%s', (name) => {
  const { script, settings } = SCRIPTS[name] as (typeof SCRIPTS)[string]
  let recorded: Recorded[] = []
  let failure: unknown

  beforeAll(async () => {
    const fixture = await openFixture(settings)
    recorded = fixture.recorded
    try {
      await script(fixture)
    } catch (error) {
      // A changed answer may lack what the next call needs: the comparison shows that first, and then this is thrown.
      failure = error
    } finally {
      await fixture.close()
    }
    if (!isRecording) return
    if (failure) throw failure
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(fileOf(name), `${printed(recorded)}\n`)
  })

  test('is answered as it was recorded, byte for byte', () => {
    const kept = keptOf(name)
    const keptByName = new Map(kept.map((one) => [one.name, one]))
    all += Math.max(recorded.length, kept.length)
    for (const one of recorded) {
      const before = keptByName.get(one.name)
      if (before && printed(before) === printed(one)) same += 1
      else expect.soft(printed(one), `the answer to "${one.name}"`).toBe(before ? printed(before) : '(not recorded)')
    }
    if (failure) throw failure
    expect(recorded.map((one) => one.name)).toEqual(kept.map((one) => one.name))
  })
})

test('every route, every query and every mutation is there, accepted and refused', async () => {
  const outcomes = new Set(Object.keys(SCRIPTS).flatMap(keptOf).flatMap(outcomesOf))
  const fixture = await openFixture()
  try {
    const fields = [...(await fixture.rootFields('Query')), ...(await fixture.rootFields('Mutation'))]
    const all = [...(await fixture.routes()), ...fields]
    expect(all.length).toBeGreaterThan(100)
    const wanted = all.flatMap((name) => [`${name} accepted`, `${name} refused`])
    expect(wanted.filter((outcome) => !outcomes.has(outcome))).toEqual([])
  } finally {
    await fixture.close()
  }
})
