import { useState } from 'react'
import { EnvironmentNames } from '../../account/member-documents.ts'
import { ROLES, roleText } from '../../account/permission-words.ts'
import { nameOf } from '../../environment/environment-text.tsx'
import { useData } from '../../graphql/use-data.ts'
import { CheckField, ChecksField, checkedOf } from '../../ui/form.tsx'
import { wordsOf } from '../../ui/status.tsx'
import styles from './members.module.css'

interface MemberFieldsProps {
  accountId: string
  roles?: readonly string[]
  appEnvIds?: readonly string[] | null
}

/** What a member may do, and in which environments. */
export function MemberFields({ accountId, roles = [], appEnvIds = null }: MemberFieldsProps) {
  const [isRestricted, setRestricted] = useState(appEnvIds !== null)
  return (
    <>
      <ChecksField
        name="roles"
        label="Roles"
        chosen={roles}
        options={ROLES.map((role) => ({ value: role, label: wordsOf(role), help: roleText(role) }))}
      />
      <CheckField
        name="isRestricted"
        label="Only some environments"
        checked={isRestricted}
        onChange={(event) => setRestricted(event.target.checked)}
        help="Else the roles hold for every environment of the account, those of tomorrow too."
      />
      {isRestricted && <Environments accountId={accountId} chosen={appEnvIds ?? []} />}
    </>
  )
}

function Environments({ accountId, chosen }: { accountId: string; chosen: readonly string[] }) {
  const { data, isLoading } = useData(EnvironmentNames, { variables: { accountId } })
  const environments = data?.appEnvs?.nodes ?? []
  const known = new Set(environments.map(({ id }) => id))
  const others = chosen.filter((id) => !known.has(id))
  if (isLoading) return null
  return (
    <div className={styles.environments}>
      <ChecksField
        name="appEnvIds"
        label="Environments"
        chosen={chosen}
        options={[
          ...environments.map((environment) => ({ value: environment.id, label: nameOf(environment) })),
          ...others.map((id) => ({ value: id, label: id })),
        ]}
      />
    </div>
  )
}

/** What the API takes for them. */
export function membershipOf(fields: Readonly<Record<string, string>>) {
  return {
    // The API refuses what is no role.
    roles: checkedOf(fields, 'roles') as (typeof ROLES)[number][],
    appEnvIds: fields.isRestricted === 'true' ? checkedOf(fields, 'appEnvIds') : null,
  }
}
