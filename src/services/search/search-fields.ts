import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

export const searchKind = enumeration('SearchKind', 'Kind of thing that a search found.', {
  APP: 'An app, by its name.',
  APP_ENV: 'An environment, by its name or CLI name.',
  HOST: 'A host of an environment, by its name.',
  DEPLOYMENT: 'A version, by the git commit that it was built from.',
})

export interface Found {
  kind: keyof typeof searchKind.values
  id: string
  name: string
  appId: string
  appEnvId: string | null
}

const field = fieldsOf<Found>()

export const searchResult = resource({
  name: 'SearchResult',
  id: 'SearchResult',
  description: 'Something in an account that a search found.',
  examples: {
    kind: 'APP_ENV',
    id: exampleId('env'),
    name: 'shop-production',
    appId: exampleId('app'),
    appEnvId: exampleId('env'),
  },
  fields: {
    kind: field.given('kind', searchKind.type, 'Kind of what was found.'),
    id: field.given('id', text, 'Id of what was found.'),
    name: field.given('name', text, 'Text that was found: a name, or a git commit.'),
    appId: field.given('appId', text, 'Id of the app that it is or belongs to.'),
    appEnvId: field.given(
      'appEnvId',
      text.nullable(),
      'Id of the environment that it is or belongs to; null for an app.',
    ),
  },
})
