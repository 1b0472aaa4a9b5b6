import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/page.tsx'

/** An error of the console itself ends one screen, and says so. */
export class CrashBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div role="alert">
        <Empty
          title="This screen has failed"
          actions={
            <Button icon="refreshCw" onClick={() => location.reload()}>
              Load it again
            </Button>
          }
        >
          <p>It is a fault of the console, not of your apps. What you typed is kept.</p>
          <p className="mono">{error.message}</p>
        </Empty>
      </div>
    )
  }
}
