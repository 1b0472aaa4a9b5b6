import { visibleText } from '../../../../text/visible-text.ts'
import { SelectField } from '../../ui/form.tsx'

export interface Storage {
  id: string
  name: string
}

interface StorageFieldProps {
  name: string
  defaultValue: string
  storages: readonly Storage[]
}

/** Where a backup goes. */
export function StorageField({ name, defaultValue, storages }: StorageFieldProps) {
  const isKnown = defaultValue === 'LOCAL' || storages.some(({ id }) => id === defaultValue)
  return (
    <SelectField
      name={name}
      label="Stored in"
      defaultValue={defaultValue}
      options={[
        { value: 'LOCAL', label: 'Data folder of Berth, on its machine' },
        ...storages.map((storage) => ({ value: storage.id, label: `Object storage: ${visibleText(storage.name)}` })),
        ...(isKnown ? [] : [{ value: defaultValue, label: `Object storage: ${defaultValue}` }]),
      ]}
      help={
        storages.length === 0
          ? 'A credential for object storage adds a place that survives the loss of the machine.'
          : undefined
      }
    />
  )
}
