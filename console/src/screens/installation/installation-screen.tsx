import { useSession } from '../../account/session.tsx'
import { pathTo } from '../../routes.ts'
import { Views } from '../../ui/filters.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { AccountsView } from './accounts-view.tsx'
import { HealthView } from './health-view.tsx'
import { MachinesView } from './machines-view.tsx'
import { PlansView } from './plans-view.tsx'
import { UsersView } from './users-view.tsx'

const VIEWS = {
  health: { label: 'Health', View: HealthView },
  machines: { label: 'Machines and regions', View: MachinesView },
  accounts: { label: 'Accounts', View: AccountsView },
  users: { label: 'Users', View: UsersView },
  plans: { label: 'Plans', View: PlansView },
} as const

type ViewName = keyof typeof VIEWS

/** For the operator of this Berth: whether its parts are well, on what it runs, and who uses it. */
export default function InstallationScreen() {
  const { me } = useSession()
  const [parameters] = useParameters()
  const asked = parameters.get('view') ?? ''
  const name: ViewName = asked in VIEWS ? (asked as ViewName) : 'health'
  if (!me.isInstallationAdmin)
    return (
      <Page title="Installation">
        <Empty title="Only for admins of the installation">
          <p>They see its parts, machines, accounts and users. Whoever runs this Berth can make you one.</p>
        </Empty>
      </Page>
    )
  const { View } = VIEWS[name]
  const here = pathTo('installation')
  return (
    <Page title="Installation">
      <Views
        label="Installation"
        current={name}
        views={Object.entries(VIEWS).map(([view, { label }]) => ({
          name: view,
          label,
          href: view === 'health' ? here : `${here}?view=${view}`,
        }))}
      />
      <View />
    </Page>
  )
}
