import { type ReactNode, useId } from 'react'
import { TextField } from './form.tsx'

interface TimeZoneFieldProps {
  name: string
  defaultValue: string
  help?: ReactNode
}

/** A time zone by its IANA name; the browser completes it. */
export function TimeZoneField({ name, defaultValue, help }: TimeZoneFieldProps) {
  const id = useId()
  return (
    <>
      <TextField name={name} label="Time zone" defaultValue={defaultValue} list={id} required help={help} />
      <datalist id={id}>
        <option value="UTC" />
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
