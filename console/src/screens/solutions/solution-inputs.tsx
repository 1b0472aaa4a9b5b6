import type { ResultOf } from '../../graphql/graphql.ts'
import { CheckField, TextField } from '../../ui/form.tsx'
import type { SolutionChoices } from './documents.ts'

export type Input = NonNullable<ResultOf<typeof SolutionChoices>['solutions']>[number]['inputs'][number]

/** What was typed, by the name of the input. */
export type Values = Readonly<Record<string, string>>

export const defaultsOf = (inputs: readonly Input[]): Values =>
  Object.fromEntries(
    inputs.map(({ name, type, default: given }) => [
      name,
      type === 'BOOLEAN' ? (given === true ? 'true' : '') : given === null ? '' : String(given),
    ]),
  )

/** As the API takes them; what is empty is left out, so that its default counts. */
export function sentInputs(inputs: readonly Input[], values: Values): Record<string, string | number | boolean> {
  const sent: Record<string, string | number | boolean> = {}
  for (const { name, type } of inputs) {
    const value = values[name] ?? ''
    if (type === 'BOOLEAN') sent[name] = value === 'true'
    else if (value !== '') sent[name] = type === 'NUMBER' && Number.isFinite(Number(value)) ? Number(value) : value
  }
  return sent
}

interface InputFieldsProps {
  inputs: readonly Input[]
  values: Values
  onChange: (changed: Values) => void
}

/** A field for each input of a solution, by its type. */
export function InputFields({ inputs, values, onChange }: InputFieldsProps) {
  return (
    <>
      {inputs.map(({ name, label, type, required, secret, default: given }) =>
        type === 'BOOLEAN' ? (
          <CheckField
            key={name}
            name={`inputs.${name}`}
            label={label}
            checked={values[name] === 'true'}
            onChange={(event) => onChange({ [name]: event.target.checked ? 'true' : '' })}
          />
        ) : (
          <TextField
            key={name}
            name={`inputs.${name}`}
            label={label}
            type={secret ? 'password' : type === 'NUMBER' ? 'number' : 'text'}
            inputMode={type === 'EMAIL' ? 'email' : undefined}
            step={type === 'NUMBER' ? 'any' : undefined}
            autoComplete={secret ? 'new-password' : 'off'}
            required={required}
            value={values[name] ?? ''}
            onChange={(event) => onChange({ [name]: event.target.value })}
            help={
              secret
                ? required
                  ? 'It is kept sealed, and never shown again. Keep a copy.'
                  : 'It is kept sealed. Leave it empty, and a random one is made.'
                : given === null && !required
                  ? 'It may be left empty.'
                  : undefined
            }
          />
        ),
      )}
    </>
  )
}
