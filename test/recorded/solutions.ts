import { type Fixture, UNKNOWN } from './fixture.ts'
import { entriesOf } from './fragments.ts'

const unknown = { installationId: `inst_${UNKNOWN}` }

const request = ({ accountId }: Fixture, fields: Record<string, unknown> = {}) => ({
  accountId,
  solutionSlug: 'verdaccio',
  appName: 'Registry',
  region: 'local',
  ...fields,
})

const COMPOSE = `services: { web: { image: "nginx:1.27", ports: ["80:80"], environment: { GREETING: "\${GREETING}" } } }`

const composed = ({ accountId }: Fixture, fields: Record<string, unknown> = {}) => ({
  accountId,
  compose: COMPOSE,
  variables: { GREETING: 'Hello' },
  appName: 'Site',
  region: 'local',
  ...fields,
})

/** Installations that no worker takes further. */
export async function restSolutions(fixture: Fixture): Promise<void> {
  const { rest, accountId } = fixture
  const now = { headers: { prefer: 'wait=0' } }
  await rest('list the solutions of nobody’s account', 'GET /solutions', { accountId: `acc_${UNKNOWN}` })
  await rest('list the solutions', 'GET /solutions', { accountId })
  const { installationId } = (await rest('install one', 'POST /solutions', request(fixture), now)).body
  await rest('go on with it', 'POST /solutions', request(fixture, { installationId }), now)
  await rest('go on under another name', 'POST /solutions', request(fixture, { appName: 'B', installationId }), now)
  await rest('install with wrong inputs', 'POST /solutions', request(fixture, { inputs: { colour: 'red' } }), now)
  await rest('read the installation', 'GET /solutions/installation', { installationId })
  await rest('read an unknown installation', 'GET /solutions/installation', unknown)
  await rest('upgrade it while it goes on', 'POST /solutions/installation/upgrade', { installationId }, now)
  await fixture.finishInstallation(installationId)
  await rest('upgrade it', 'POST /solutions/installation/upgrade', { installationId }, now)
  await rest('upgrade an unknown one', 'POST /solutions/installation/upgrade', unknown, now)
  const refused = composed(fixture, { compose: 'services: { web: { build: ., privileged: true } }' })
  await rest('install a compose file of what there is not', 'POST /solutions/compose', refused, now)
  await rest(
    'install a compose file without its variable',
    'POST /solutions/compose',
    composed(fixture, { variables: {} }),
    now,
  )
  await rest('plan a compose file', 'POST /solutions/compose', composed(fixture), { ...now, query: { dryRun: 'true' } })
  await rest('install a compose file', 'POST /solutions/compose', composed(fixture), now)
  await rest('list the installations', 'GET /solutions/installations', { accountId })
  await rest('list the installations after nothing', 'GET /solutions/installations', { accountId, cursor: 'x' })
  await rest('remove the installation', 'DELETE /solutions/installation', { installationId })
  await rest('remove it again', 'DELETE /solutions/installation', { installationId })
}

export async function graphqlSolutions(fixture: Fixture): Promise<void> {
  const { graphql, accountId: account } = fixture
  const list = 'query ($account: ID) { solutions(accountId: $account) { solutionSlug components { key dependsOn } } }'
  await graphql('list the solutions', list, { account })
  await graphql('list the solutions of nobody’s account', list, { account: `acc_${UNKNOWN}` })
  const install =
    'mutation ($input: InstallSolutionInput!) { installSolution(input: $input) { appIds postInstallNote installation { id status components { key state } } } }'
  const { body } = await graphql('install one', install, { input: request(fixture) })
  const { id } = body.data.installSolution.installation
  await graphql('install with wrong inputs', install, { input: request(fixture, { inputs: { colour: 'red' } }) })
  const read =
    'query ($id: ID!) { installation(id: $id) { id status appName region components { key state } version } }'
  await graphql('read the installation', read, { id })
  const compose =
    'mutation ($input: InstallComposeInput!) { installCompose(input: $input) { appIds installation { solutionSlug status } } }'
  const variables = { variables: entriesOf({ GREETING: 'Hello' }) }
  await graphql('install a compose file', compose, { input: composed(fixture, variables) })
  await graphql('install a compose file of nothing', compose, {
    input: composed(fixture, { ...variables, compose: 'services: {}' }),
  })
  const upgrade = 'mutation ($id: ID!) { upgradeInstallation(input: { installationId: $id }) { changed kept } }'
  await graphql('upgrade it while it goes on', upgrade, { id })
  await fixture.finishInstallation(id)
  await graphql('upgrade it', upgrade, { id })
  await graphql('read an unknown installation', read, { id: `inst_${UNKNOWN}` })
  const all = 'query ($account: ID) { installations(accountId: $account) { nodes { id status } pageInfo { ...Page } } }'
  await graphql('list the installations', all, { account })
  await graphql('list the installations of nobody’s account', all, { account: `acc_${UNKNOWN}` })
  const remove = 'mutation ($id: ID!) { removeInstallation(input: { installationId: $id }) { message } }'
  await graphql('remove the installation', remove, { id })
  await graphql('remove it again', remove, { id })
}
