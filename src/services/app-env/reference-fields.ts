import { z } from 'zod'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

export interface ReferringVariable {
  name: string
  holdsCredentials: boolean
}

const variable = fieldsOf<ReferringVariable>()

const referringVariable = resource({
  name: 'ReferringVariable',
  id: 'ReferringVariable',
  description: 'A variable whose value refers to another environment.',
  examples: { name: 'DATABASE_URL', holdsCredentials: true },
  fields: {
    name: variable.given('name', text, 'Name of the variable.'),
    holdsCredentials: variable.given(
      'holdsCredentials',
      flag,
      'Whether the value holds credentials of the environment, so that a rotation changes it.',
    ),
  },
})

export interface Referrer {
  appEnvId: string
  appId: string
  envName: string
  variables: ReferringVariable[]
}

const referrer = fieldsOf<Referrer>()

const appEnvReferrer = resource({
  name: 'AppEnvReferrer',
  id: 'AppEnvReferrer',
  description: 'An environment whose variables refer to another one.',
  examples: { appEnvId: exampleId('env'), appId: exampleId('app'), envName: 'default-shop-production' },
  fields: {
    appEnvId: referrer.given('appEnvId', text, 'Id of the environment that refers to the other one.'),
    appId: referrer.given('appId', text, 'Id of the app of the environment that refers to the other one.'),
    envName: referrer.given('envName', text, 'CLI name of the environment that refers to the other one.'),
    variables: referrer.given(
      'variables',
      z.array(referringVariable.answer.type),
      'Variables that refer to the other environment, by name.',
    ),
  },
})

export interface References {
  appEnvs: Referrer[]
  otherCount: number
}

const field = fieldsOf<References>()

export const appEnvReferences = resource({
  name: 'AppEnvReferences',
  id: 'AppEnvReferences',
  description: 'The environments whose variables refer to an environment: they miss it when it is deleted.',
  examples: { otherCount: 0 },
  fields: {
    appEnvs: field.given(
      'appEnvs',
      z.array(appEnvReferrer.answer.type),
      'Environments that refer to it, newest first, at most 200.',
    ),
    otherCount: field.given(
      'otherCount',
      whole,
      'Number of environments that refer to it and are not listed: you may not read them, or there are too many.',
    ),
  },
})
