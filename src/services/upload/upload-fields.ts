import { fieldsOf, text } from '../../calls/field.ts'
import { answer } from '../../calls/resource.ts'

const field = fieldsOf<{ uploadUrl: string; storageKey: string; envUrl: string | null }>()

export const storageKeyAnswer = answer(
  {
    uploadUrl: field.given(
      'uploadUrl',
      text,
      'Address to PUT the archive to within an hour. It needs no other authorization.',
    ),
    storageKey: field.given('storageKey', text, 'Key that names the upload in notifyCodeUpload.', {
      inGraphQL: { type: 'ID' },
    }),
    envUrl: field.given('envUrl', text.nullable(), 'Address of the environment once it is deployed.'),
  },
  { id: 'StorageKey', description: 'An address to upload source code to.' },
)
