import { z } from 'zod'
import { engineOfPreset } from '../../app-types/presets.ts'
import { typeNamed } from '../../app-types/wire-names.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, json, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Component, Solution, SolutionInput } from '../../solutions/solution.ts'

/** Everything that the API shows of a solution. Variables, settings and sizes stay inside. */

export const solutionInputType = enumeration('SolutionInputType', 'Kind of value that an input of a solution takes.', {
  STRING: 'A text of any kind.',
  NUMBER: 'A number, with or without decimals.',
  BOOLEAN: 'true or false.',
  EMAIL: 'An email address.',
})

export const solutionCategory = enumeration('SolutionCategory', 'Field in which a solution is of use.', {
  AUTOMATION: 'Work that is done by flows and rules.',
  CONTENT: 'Sites, blogs and the management of content.',
  COLLABORATION: 'Work that people do together.',
  DEVELOPMENT: 'Tools of developers.',
  MONITORING: 'Watching over services.',
  ANALYTICS: 'Questions about data.',
  MESSAGING: 'Queues and messages between programs.',
  SECURITY: 'Secrets and identities.',
  SEARCH: 'Search in documents and products.',
})

const inputField = fieldsOf<SolutionInput>()

const solutionInput = resource({
  name: 'SolutionInput',
  description: 'A value that a solution is installed with.',
  examples: {
    name: 'authKey',
    label: 'Random key: AUTH_KEY',
    secret: true,
  },
  fields: {
    name: inputField.column('name', text, 'Name of the input, as `inputs` takes it.'),
    label: inputField.column('label', text, 'What the input is, for people.'),
    type: inputField.column('type', solutionInputType.type, 'Kind of value that the input takes.'),
    required: inputField.column('required', flag, 'Whether a value must be sent.'),
    secret: inputField.column('secret', flag, 'Whether the value is a secret, which is never shown.'),
    default: inputField.from(
      {},
      json.nullable(),
      'Value of the input when none is sent; null where there is none, or a random one is made.',
      (row: SolutionInput) => row.default ?? null,
    ),
  },
})

const componentField = fieldsOf<Component>()

const solutionComponent = resource({
  name: 'SolutionComponent',
  description: 'An app that a solution consists of.',
  examples: {
    key: 'app',
    name: 'WordPress',
    type: 'app',
    dockerPreset: 'CUSTOM',
    dependsOn: ['database'],
  },
  fields: {
    key: componentField.column('key', text, 'Key of the component in the solution.'),
    name: componentField.column('name', text, 'Name of the component for people.'),
    type: componentField.from({}, text, 'Type of the app.', ({ dockerPreset }: Component) =>
      engineOfPreset(dockerPreset) ? 'service' : typeNamed(dockerPreset).wireName,
    ),
    dockerPreset: componentField.column('dockerPreset', text, 'Preset of the app.'),
    dependsOn: componentField.column('dependsOn', z.array(text), 'Keys of the components that must be ready first.'),
  },
})

const field = fieldsOf<Solution>()

export const solution = resource({
  name: 'Solution',
  id: 'Solution',
  description: 'Apps that belong together, and are installed by one call.',
  examples: {
    solutionSlug: 'wordpress',
    name: 'WordPress',
    description: 'Sites and blogs with themes and plugins.',
    category: 'CONTENT',
  },
  fields: {
    solutionSlug: field.from(
      {},
      text,
      'Name of the solution, which `solutionSlug` takes.',
      ({ slug }: Solution) => slug,
    ),
    name: field.column('name', text, 'Name of the solution for people.'),
    description: field.column('description', text, 'What the solution is.'),
    category: field.column('category', solutionCategory.type, 'Field in which the solution is of use.'),
    revision: field.column('revision', whole, 'Number that grows when the solution changes.'),
    inputs: field.from(
      {},
      z.array(solutionInput.answer.type),
      'Values that the solution is installed with.',
      (row: Solution) => row.inputs.map((input) => solutionInput.answer.record(input)),
    ),
    components: field.from(
      {},
      z.array(solutionComponent.answer.type),
      'Apps that the solution consists of.',
      (row: Solution) => row.components.map((component) => solutionComponent.answer.record(component)),
    ),
    requiresSandbox: field.column(
      'requiresSandbox',
      flag,
      'Whether the solution needs the entitlement SANDBOX of the account, and a region whose sandbox add-on and public gateway are ready.',
    ),
  },
})
