import { fieldsOf, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

export interface OpenServiceCredentials {
  username: string
  password: string
  database: string | null
  internalUrl: string
  externalUrl: string | null
  readOnlyUrl: string | null
}

const field = fieldsOf<OpenServiceCredentials>()

export const serviceCredentials = resource({
  name: 'ServiceCredentials',
  id: 'ServiceCredentials',
  description: 'Generated credentials of a managed service, and the addresses that they are part of.',
  examples: {
    username: 'berth',
    password: '<password>',
    database: 'berth',
    internalUrl: 'postgresql://berth:<password>@default-orders-production:5432/berth',
    externalUrl: null,
    readOnlyUrl: null,
  },
  fields: {
    username: field.given('username', text, 'Name of the generated user.'),
    password: field.given('password', text, 'Password of the generated user.'),
    database: field.given(
      'database',
      text.nullable(),
      'Database, virtual host or number that is there from the beginning; null if there is none.',
    ),
    internalUrl: field.given(
      'internalUrl',
      text,
      'Connection URL on the network of the account. It stays the same until the credentials are rotated.',
    ),
    externalUrl: field.given(
      'externalUrl',
      text.nullable(),
      'Connection URL for clients from outside; null while external access is off.',
    ),
    readOnlyUrl: field.given(
      'readOnlyUrl',
      text.nullable(),
      'Connection URL of the replicas on the network of the account, for reads that may be a little behind; null while there is one container.',
    ),
  },
})
