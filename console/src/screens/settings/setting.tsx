import type { TypedDocumentNode } from 'urql'
import { useClient } from 'urql'
import { useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { Setting, type SettingProps } from '../../ui/setting.tsx'
import { type EnvironmentSettings, Settings } from './documents.ts'

export type SettingsOf = ResultOf<typeof EnvironmentSettings>

interface EnvironmentSettingProps<Result, Input>
  extends Omit<
    SettingProps<SettingsOf, Result, Input>,
    'draftKey' | 'of' | 'readNow' | 'missing' | 'inputOf' | 'mutation'
  > {
  env: string
  settings: SettingsOf
  inputOf: (fields: Readonly<Record<string, string>>) => Omit<Input, 'appEnvId' | 'idempotencyKey' | 'expectedVersion'>
  mutation: TypedDocumentNode<Result, { input: Input }>
}

/** A group of settings of an environment. */
export function EnvironmentSetting<Result, Input extends object>({
  env,
  settings,
  inputOf,
  ...rest
}: EnvironmentSettingProps<Result, Input>) {
  const client = useClient()
  const missing = useMissing('appEnv:change')
  return (
    <Setting<SettingsOf, Result, Input>
      {...rest}
      draftKey={`settings.${env}.${rest.title}`}
      of={settings}
      missing={missing}
      inputOf={(fields) =>
        ({ ...inputOf(fields), appEnvId: settings.id }) as unknown as Omit<Input, 'idempotencyKey' | 'expectedVersion'>
      }
      readNow={async () => {
        const { data } = await client.query(Settings, { env }, { requestPolicy: 'network-only' }).toPromise()
        return data?.appEnv ?? null
      }}
    />
  )
}
