import { useAccount } from '../../account/session.tsx'
import { pathTo } from '../../routes.ts'
import { Views } from '../../ui/filters.tsx'
import { Page } from '../../ui/page.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { AuditView } from './audit-view.tsx'
import { EventsView } from './events-view.tsx'

/** Who changed what, from what to what; and what happened besides. */
export default function ActivityScreen() {
  const { slug, name } = useAccount()
  const [parameters] = useParameters()
  const view = parameters.get('view') === 'events' ? 'events' : 'changes'
  const here = pathTo('activity', { account: slug })
  return (
    <Page title="Activity" within={name}>
      <Views
        label="Activity"
        current={view}
        views={[
          { name: 'changes', label: 'Who changed what', href: here },
          { name: 'events', label: 'What happened', href: `${here}?view=events` },
        ]}
      />
      {view === 'events' ? <EventsView /> : <AuditView />}
    </Page>
  )
}
