import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { DeploymentState } from './documents.ts'

export type Deployment = ResultOf<typeof DeploymentState>

const COMMIT_LENGTH = 8

/** What a version runs: its commit and message, or its image. */
export function VersionSource({ deployment }: { deployment: Deployment }) {
  const { gitCommitId, gitBranch, gitCommit, image, promotedFrom, fromDeployment } = deployment
  return (
    <>
      {gitCommitId ? (
        <>
          <code title={gitCommitId}>{gitCommitId.slice(0, COMMIT_LENGTH)}</code>{' '}
          {gitBranch && <span className="soft">{visibleText(gitBranch)} </span>}
          {gitCommit && visibleText(gitCommit.message.split('\n', 1)[0] ?? '')}
        </>
      ) : (
        <code title={deployment.imageDigest ?? undefined}>{visibleText(image)}</code>
      )}
      {promotedFrom && (
        <span className="soft">
          {' '}
          from {visibleText(promotedFrom.appEnv?.cliEnvName ?? 'another environment')}, version {promotedFrom.version}
        </span>
      )}
      {fromDeployment && <span className="soft"> again version {fromDeployment.version}</span>}
    </>
  )
}
