import { useState } from 'react'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import { say } from '../../ui/toast.tsx'
import { type Credential, type CredentialType, TYPES } from './credential-words.ts'
import { CreateCredential, UpdateCredential } from './documents.ts'

/** Fields that are empty are left out. */
const dataOf = (type: CredentialType, fields: Readonly<Record<string, string>>) =>
  TYPES[type].parts.flatMap(({ key }) => {
    const value = fields[`data.${key}`]
    return value ? [{ key, value }] : []
  })

const DEFAULT_HELP = 'For images of this registry where an app names none. It takes the place of the former default.'

interface CreateCredentialProps {
  accountId: string
  onClose: () => void
  onDone: () => void
}

export function CreateCredentialForm({ accountId, onClose, onDone }: CreateCredentialProps) {
  const { send, isSending, refusal } = useWrite(CreateCredential)
  const [type, setType] = useState<CredentialType>('CONTAINER_REGISTRY')
  return (
    <Form
      draftKey={`credential.${accountId}`}
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({
          accountId,
          name: fields.name ?? '',
          type,
          data: dataOf(type, fields),
          ...(type === 'CONTAINER_REGISTRY' ? { isDefault: fields.isDefault === 'true' } : {}),
        })
        if (!answer?.createCredential) return false
        say(answer.createCredential.warning ?? `“${fields.name}” is created`)
        onDone()
        onClose()
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus placeholder="Registry of the shop" />
      <SelectField
        name="type"
        label="Type"
        value={type}
        onChange={(event) => setType(event.target.value as CredentialType)}
        options={Object.entries(TYPES).map(([value, { label }]) => ({ value, label }))}
      />
      <PartFields key={type} type={type} />
      {type === 'CONTAINER_REGISTRY' && (
        <CheckField name="isDefault" label="The default of its registry" help={DEFAULT_HELP} />
      )}
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Create it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

function PartFields({ type, known = {} }: { type: CredentialType; known?: Readonly<Record<string, string>> }) {
  return (
    <>
      {TYPES[type].parts.map(({ key, label, isSecret = false, isRequired = false, placeholder }) => (
        <TextField
          key={key}
          name={`data.${key}`}
          label={label}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          required={isRequired}
          placeholder={placeholder}
          defaultValue={known[key]}
        />
      ))}
    </>
  )
}

export function UpdateCredentialForm({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(UpdateCredential)
  const [hasNewLogin, setNewLogin] = useState(false)
  // What it was when the form was opened: a later change must not pass for this one.
  const [before] = useState(credential)
  const { id: credentialId, type, version: expectedVersion } = before
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({
          credentialId,
          expectedVersion,
          name: fields.name ?? '',
          ...(type === 'CONTAINER_REGISTRY' ? { isDefault: fields.isDefault === 'true' } : {}),
          ...(hasNewLogin ? { data: dataOf(type, fields) } : {}),
        })
        if (!answer?.updateCredential) return false
        say(answer.updateCredential.warning ?? `“${fields.name}” is changed`)
        onClose()
        return true
      }}
    >
      <TextField name="name" label="Name" required autoFocus defaultValue={before.name} />
      {type === 'CONTAINER_REGISTRY' && (
        <CheckField
          name="isDefault"
          label="The default of its registry"
          defaultChecked={before.isDefault}
          help={DEFAULT_HELP}
        />
      )}
      <CheckField
        name="hasNewLogin"
        label="Another login"
        checked={hasNewLogin}
        onChange={(event) => setNewLogin(event.target.checked)}
        help="Replaces all of it, the secret too. Else the login stays as it is."
      />
      {hasNewLogin && (
        <PartFields type={type} known={Object.fromEntries(before.data.map(({ key, value }) => [key, value]))} />
      )}
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Change it
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}
