import { useEffect, useState } from 'react'
import { resourcesOf, Z_CLOUD_SIZES } from '../../../../src/domain/resources.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import { computeMicros, priceText } from '../../account/monthly-price.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import styles from './new-app.module.css'
import type { Fields, Source } from './new-app-input.ts'
import { type Choices, typesOf } from './source-fields.tsx'

interface MoreSettingsProps {
  source: Source
  fields: Fields
  onChange: (changed: Fields) => void
  choices: Choices
  variables: string
  onVariables: (text: string) => void
  refusal: Refusal | null
}

/** In it. */
const NAMES = /^(?:appEnv\.(?:region|zClouds|envVars)|healthCheckPath|imagePullAccountSecretId)$/

/** What a first app does not need. It opens by itself where one of its fields is not right. */
export function MoreSettings({
  source,
  fields,
  onChange,
  choices,
  variables,
  onVariables,
  refusal,
}: MoreSettingsProps) {
  const regions = choices.regions ?? []
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (Object.keys(refusal?.fields ?? {}).some((name) => NAMES.test(name))) setOpen(true)
  }, [refusal])
  const set = (name: string) => ({
    name,
    value: fields[name] ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const credentials = choices.credentials?.nodes ?? []
  return (
    <>
      {regions.length > 1 && (
        <SelectField
          {...set('appEnv.region')}
          label="Region"
          required
          options={[
            { value: '', label: 'Choose one' },
            ...regions.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
          ]}
        />
      )}
      <details className={styles.more} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>More settings</summary>
        <div className="stack">
          {source === 'image' && (
            <SelectField
              {...set('dockerPreset')}
              label="Type"
              options={[{ value: 'CUSTOM', label: 'App: runs all the time' }, ...typesOf(choices)]}
            />
          )}
          <SizeField {...{ fields, onChange, choices }} />
          {source === 'image' && credentials.length > 0 && (
            <SelectField
              {...set('imagePullAccountSecretId')}
              label="Registry credential"
              options={[
                { value: '', label: 'The default of the account, if it has one' },
                ...credentials.map(({ id, name }) => ({ value: id, label: visibleText(name) })),
              ]}
            />
          )}
          {source !== 'service' && (
            <>
              <TextAreaField
                name="appEnv.envVars"
                label="Variables"
                value={variables}
                onChange={(event) => onVariables(event.target.value)}
                placeholder={'LOG_LEVEL=info\nPUBLIC_NAME="Our shop"'}
                help="As in a .env file: paste one."
              />
              <CheckField
                name="secret"
                label="All of them are secrets"
                checked={fields.secret === 'true'}
                onChange={(event) => onChange({ secret: event.target.checked ? 'true' : '' })}
                help="Secrets are masked everywhere, and an admin can reveal them. Those that look like one, by name or value, are secrets anyway."
              />
              {fields.dockerPreset !== 'JOB' && (
                <TextField
                  {...set('healthCheckPath')}
                  label="Health check path"
                  placeholder="/healthz"
                  help="It answers 2xx or 3xx when a container is ready. Without one, a TCP connection is enough."
                />
              )}
            </>
          )}
        </div>
      </details>
    </>
  )
}

function SizeField({ fields, onChange, choices }: Pick<MoreSettingsProps, 'fields' | 'onChange' | 'choices'>) {
  const plan = choices.plans?.find(({ code }) => code === choices.account?.plan)
  const currency = choices.usage?.currency ?? null
  const options = Z_CLOUD_SIZES.map((zClouds) => {
    const { cpu, memoryMb } = resourcesOf({ zClouds })
    const micros = plan ? computeMicros(plan, zClouds) : 0n
    const price = micros > 0n ? `, ${priceText(micros, currency)} a month` : ''
    return { value: String(zClouds), label: `${cpu} CPU, ${memoryMb.toLocaleString('en')} MB${price}` }
  })
  return (
    <SelectField
      name="appEnv.zClouds"
      label="Size of a container"
      options={options}
      value={fields['appEnv.zClouds'] ?? '1'}
      onChange={(event) => onChange({ 'appEnv.zClouds': event.target.value })}
    />
  )
}
