import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time, VERSION, whole } from '../../calls/field.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import type {
  SolutionComponent as ComponentRow,
  SolutionInstallation as InstallationRow,
} from '../../storage/database/generated/prisma/client.ts'

export const installationStatus = enumeration('InstallationStatus', 'Progress of an installation.', {
  INSTALLING: 'Components are being deployed.',
  INSTALLED: 'Every component was deployed, and the smoke test of the solution has passed.',
  INCOMPLETE: 'A component failed. Repeat the request with the installationId to continue.',
})

export const componentState = enumeration('InstallationComponentState', 'Progress of a component.', {
  PENDING: 'The component waits for others that it depends on.',
  DEPLOYING: 'The component is being deployed.',
  READY: 'The component was deployed, and has passed its smoke test if it has one.',
  FAILED: 'The component was not deployed, or failed its smoke test; the reason says why.',
})

const componentField = fieldsOf<ComponentRow>()

const installationComponent = resource({
  name: 'InstallationComponent',
  description: 'An app of an installation.',
  examples: {
    key: 'app',
    state: 'READY',
    message: null,
  },
  fields: {
    key: componentField.column('key', text, 'Key of the component in the solution.'),
    state: componentField.column('state', componentState.type, 'Progress of the component.'),
    reason: componentField.column('reason', text.nullable(), 'Code for why the component failed, if it did.'),
    message: componentField.column('message', text.nullable(), 'Why the component failed, if it did.'),
    appId: componentField.column('appId', text, 'Id of the app.'),
    appEnvId: componentField.column('appEnvId', text, 'Id of the environment.'),
    operationId: componentField.column(
      'operationId',
      text.nullable(),
      'Id of the operation that deploys the component; null before it is begun.',
    ),
    jobRunId: componentField.column(
      'jobRunId',
      text.nullable(),
      'Id of the run of a component that is a job; null before it is begun, and for other components.',
    ),
  },
})

const inOrder = { components: { orderBy: { position: 'asc' } } }

interface WithComponents {
  components: ComponentRow[]
}

const field = fieldsOf<InstallationRow>()

export const solutionInstallation = resource({
  name: 'SolutionInstallation',
  id: 'SolutionInstallation',
  description: 'An installed solution, and how far its components are.',
  examples: {
    installationId: exampleId('inst'),
    appName: 'Blog',
    status: 'INSTALLED',
    postInstallNote: 'Open http://default-blog-production.berth.localhost:8080 and finish the installation.',
  },
  fields: {
    installationId: field.column('id', text, 'Id of the installation.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account that owns the apps.'),
    solutionSlug: field.column('solutionSlug', text, 'Name of the solution.'),
    revision: field.column('revision', whole, 'Revision of the solution that was installed.'),
    appName: field.column('appName', text, 'Name of the main app.'),
    region: field.column('regionCode', text, 'Code of the region that the environments run in.'),
    status: field.column('status', installationStatus.type, 'Progress of the installation.'),
    components: field.from(
      inOrder,
      z.array(installationComponent.answer.type),
      'Components, each after those that it depends on.',
      ({ components }: WithComponents) => components.map((row) => installationComponent.answer.record(row)),
    ),
    postInstallNote: field.column(
      'postInstallNote',
      text.nullable(),
      'What has to be done by hand before the solution is complete; null if nothing has.',
    ),
    requestedBy: field.column('requestedBy', text, 'Id of the user that requested the installation.'),
    createdAt: field.column('createdAt', time, 'Time at which the installation was requested.'),
    finishedAt: field.column('finishedAt', time.nullable(), 'Time at which the installation ended; null until then.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

const createdField = fieldsOf<{ key: string; appId: string; appEnvId: string }>()

const createdComponent = resource({
  name: 'CreatedComponent',
  description: 'An app that an installation has created, and its environment.',
  examples: {
    key: 'app',
  },
  fields: {
    key: createdField.given('key', text, 'Key of the component in the solution.'),
    appId: createdField.given('appId', text, 'Id of the app.'),
    appEnvId: createdField.given('appEnvId', text, 'Id of the environment.'),
  },
})

interface Installed {
  components: { key: string; appId: string; appEnvId: string }[]
  appIds: string[]
  appEnvIds: string[]
  postInstallNote: string | undefined
}

const installedField = fieldsOf<Installed>()

/** Contract §3, POST /solutions. */
export const installed = answer({
  ...pick(solutionInstallation.fields, 'installationId'),
  components: installedField.given(
    'components',
    z.array(createdComponent.answer.type),
    'What was created, each component after those that it depends on.',
  ),
  appIds: installedField.given('appIds', z.array(text), 'Ids of the apps, in the same order.'),
  appEnvIds: installedField.given('appEnvIds', z.array(text), 'Ids of the environments, in the same order.'),
  postInstallNote: installedField.given(
    'postInstallNote',
    text.optional(),
    'What has to be done by hand before the solution is complete; left out if nothing has.',
  ),
})

interface Upgraded {
  changed: string[]
  kept: string[]
}

const upgradedField = fieldsOf<Upgraded>()

export const upgraded = answer({
  ...pick(solutionInstallation.fields, 'installationId', 'revision'),
  changed: upgradedField.given(
    'changed',
    z.array(text),
    'What is pending in which component, and which components are new.',
  ),
  kept: upgradedField.given(
    'kept',
    z.array(text),
    'What the new revision changes and the upgrade left alone, because it was changed by hand.',
  ),
})
