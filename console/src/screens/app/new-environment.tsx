import { useClient } from 'urql'
import { useLocation } from 'wouter'
import { MASK } from '../../../../src/domain/mask.ts'
import { Z_CLOUD_SIZES, ZCLOUD } from '../../../../src/domain/resources.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { say } from '../../ui/toast.tsx'
import type { App } from './app.ts'
import { CreateEnvironment, Regions, VariablesToCopy } from './documents.ts'

/** Another place where the app runs. */
export function NewEnvironment({ app, onClose }: { app: App; onClose: () => void }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const regions = useData(Regions, { variables: { accountId: app.account.id } })
  const { send, isSending, refusal } = useWrite(CreateEnvironment)
  const environments = app.appEnvs.nodes
  const isService = app.type === 'SERVICE'
  const copy = async (id: string) => {
    const { data } = await client.query(VariablesToCopy, { id }, { requestPolicy: 'network-only' }).toPromise()
    return (data?.appEnv?.variables ?? [])
      .filter(({ value, isSecret }) => !(isSecret && value === MASK))
      .map(({ name, value, type, isSecret }) => ({ name, value, type, isSecret }))
  }
  return (
    <Section title="Create an environment">
      <Form
        draftKey={`environment.${app.id}`}
        refusal={refusal}
        onSend={async (fields) => {
          const answer = await send({
            appId: app.id,
            name: fields.name ?? '',
            ...(fields.region ? { region: fields.region } : {}),
            ...(fields.branch ? { branch: fields.branch } : {}),
            zClouds: Number(fields.zClouds),
            deploy: fields.deploy === 'true',
            ...(fields.like ? { envVars: await copy(fields.like) } : {}),
          })
          const created = answer?.createAppEnv?.appEnv
          if (!created) return false
          say(`${created.name} is created`)
          onClose()
          navigate(pathTo(fields.deploy === 'true' ? 'deployments' : 'variables', { env: created.cliEnvName }))
          return true
        }}
      >
        <TextField name="name" label="Name" required autoFocus placeholder="staging" />
        {(regions.data?.regions ?? []).length > 1 && (
          <SelectField
            name="region"
            label="Region"
            options={(regions.data?.regions ?? []).map(({ code, name }) => ({ value: code, label: visibleText(name) }))}
          />
        )}
        {!isService && !app.useImage && (
          <TextField name="branch" label="Branch" placeholder="main" help="Git branch that it is built from." />
        )}
        <SelectField
          name="zClouds"
          label="CPU and memory of each container"
          defaultValue="1"
          options={Z_CLOUD_SIZES.map((size) => ({
            value: String(size),
            label: `${size} zCloud${size === 1 ? '' : 's'}: ${size * ZCLOUD.cpu} CPU, ${size * ZCLOUD.memoryMb} MB`,
          }))}
        />
        {!isService && environments.length > 0 && (
          <SelectField
            name="like"
            label="Variables"
            options={[
              { value: '', label: 'None yet' },
              ...environments.map(({ id, name }) => ({ value: id, label: `Those of ${visibleText(name)}` })),
            ]}
            help="Secrets are not copied."
          />
        )}
        <CheckField
          name="deploy"
          label="Deploy it at once"
          defaultChecked={app.useImage || isService}
          help={app.useImage ? 'The image of the app.' : isService ? undefined : 'A build of its branch.'}
        />
        <FormActions>
          <Button kind="primary" type="submit" icon="plus" isBusy={isSending}>
            Create it
          </Button>
          <Button onClick={onClose}>Close</Button>
        </FormActions>
      </Form>
    </Section>
  )
}
