import { useData } from '../../graphql/use-data.ts'
import { SelectField, TextField } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/page.tsx'
import styles from '../../ui/setting.module.css'
import { shown } from '../../ui/setting.tsx'
import { ServiceSettings, UpdateEnvironment } from './documents.ts'
import { EnvironmentSetting, type SettingsOf } from './setting.tsx'

/** What the server of a managed service is told, by the types and bounds that the API has for it. */
export function ServiceSetting({ env, settings }: { env: string; settings: SettingsOf }) {
  const { data } = useData(ServiceSettings, { variables: {} })
  const preset = data?.databasePresets?.find(({ versions }) =>
    versions.some(({ dockerPresetVersion }) => dockerPresetVersion === settings.dockerPresetVersion),
  )
  if (!data) return <Skeleton />
  if (!preset || preset.settings.length === 0) return null
  const at = (name: string) => `databaseSettings.${name}`
  const typed = (name: string, value: string) => {
    const type = preset.settings.find((one) => one.name === name)?.type
    if (type === 'BOOLEAN') return value === 'true'
    return type === 'ENUM' ? value : Number(value)
  }
  return (
    <EnvironmentSetting
      title={`Settings of ${preset.name}`}
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      fieldsOf={({ databaseSettings }) => {
        const set = (databaseSettings ?? {}) as Readonly<Record<string, unknown>>
        return Object.fromEntries(
          preset.settings.map(({ name }) => [at(name), set[name] === undefined ? '' : String(set[name])]),
        )
      }}
      inputOf={(fields) => ({
        databaseSettings: Object.fromEntries(
          preset.settings.flatMap(({ name }) => {
            const value = fields[at(name)] ?? ''
            return value === '' ? [] : [[name, typed(name, value)]]
          }),
        ),
      })}
    >
      {(fields) => (
        <div className={styles.columns}>
          {preset.settings.map(({ name, description, type, default: byDefault, min, max, options }) =>
            type === 'BOOLEAN' || type === 'ENUM' ? (
              <SelectField
                key={name}
                name={at(name)}
                label={name}
                help={description}
                defaultValue={fields[at(name)]}
                options={[
                  { value: '', label: `Default: ${byDefault ?? 'of the server'}` },
                  ...(type === 'BOOLEAN' ? ['true', 'false'] : (options ?? [])).map((value) => ({
                    value,
                    label: value,
                  })),
                ]}
              />
            ) : (
              <TextField
                key={name}
                name={at(name)}
                label={name}
                help={`${description}${min === null ? '' : ` From ${min}${max === null ? '' : ` to ${max}`}.`}`}
                type="number"
                step="any"
                placeholder={shown(byDefault as string | number | null) || 'of the server'}
                defaultValue={fields[at(name)]}
              />
            ),
          )}
        </div>
      )}
    </EnvironmentSetting>
  )
}
