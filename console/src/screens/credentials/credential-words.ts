import type { ResultOf } from '../../graphql/graphql.ts'
import type { Credentials, CredentialUsages } from './documents.ts'

export type Credential = NonNullable<ResultOf<typeof Credentials>['credentials']>['nodes'][number]
export type CredentialType = Credential['type']
export type Usage = NonNullable<ResultOf<typeof CredentialUsages>['credentialUsages']>[number]

interface Part {
  /** As the API names it. */
  key: string
  label: string
  isSecret?: true
  isRequired?: true
  placeholder?: string
}

/** What each type of credential holds: as the description of `data` lists it in the schema. */
export const TYPES: Readonly<Record<CredentialType, { label: string; parts: readonly Part[]; canBeTested: boolean }>> =
  {
    CONTAINER_REGISTRY: {
      label: 'Container registry',
      canBeTested: true,
      parts: [
        { key: 'registry', label: 'Registry', placeholder: 'ghcr.io' },
        { key: 'username', label: 'User name', isRequired: true },
        { key: 'password', label: 'Password, or a token', isSecret: true, isRequired: true },
        { key: 'email', label: 'E-mail' },
      ],
    },
    OBJECT_STORAGE: {
      label: 'Object storage',
      canBeTested: false,
      parts: [
        { key: 'endpoint', label: 'Endpoint', placeholder: 'https://s3.example.com' },
        { key: 'region', label: 'Region' },
        { key: 'bucket', label: 'Bucket' },
        { key: 'accessKeyId', label: 'Access key id', isRequired: true },
        { key: 'secretAccessKey', label: 'Secret access key', isSecret: true, isRequired: true },
      ],
    },
    BASIC_AUTH: {
      label: 'User name and password',
      canBeTested: false,
      parts: [
        { key: 'username', label: 'User name', isRequired: true },
        { key: 'password', label: 'Password', isSecret: true, isRequired: true },
      ],
    },
  }

/** What breaks, or changes, without the credential. */
export const USES: Readonly<Record<Usage['kind'], string>> = {
  IMAGE_PULL: 'pulls its image with it',
  BUILD_PULL: 'pulls the base images of its builds with it',
  VERSION: 'runs a version that was pulled with it',
  DEFAULT: 'runs an image of its registry, and names no credential of its own',
  BACKUP_SCHEDULE: 'stores its scheduled backups with it',
  BACKUP: 'has backups stored with it',
}
